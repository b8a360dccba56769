#include "sim/timeline/counters.h"

namespace trn {
namespace {

constexpr double kGigabytesPerSecond = 1e3;  // of a byte a picosecond
constexpr double kPercent = 100;

// A value wherever it changes; zero after the last bin.
void write_series(const BinnedSeries& series, std::uint64_t track, double factor, PerfettoFile& file) {
  double last = 0;
  file.set_counter(track, series.begin_of(0), series.bins().empty() ? 0 : series.mean(0) * factor);
  for (std::size_t bin = 0; bin <= series.bins().size(); ++bin) {
    const double value = bin < series.bins().size() ? series.mean(bin) * factor : 0;
    if (bin > 0 && value != last) file.set_counter(track, series.begin_of(bin), value);
    last = value;
  }
}

}  // namespace

void Counters::begin(const MachineConfig& machine) {
  limiter_window_ = machine.core.tensor.limiter_window;
  packets_ = machine.hbm.model == HbmModel::kChannel;
}

void Counters::watch(const ResourceLabel& label) {
  labels_.push_back(label);
  rates_.watch(label.resource);
}

Counters::Core& Counters::core(const InstructionEvent& e) {
  return cores_.try_emplace({e.rank, e.core}, e.program, window_).first->second;
}

void Counters::access(Core& core, const InstructionEvent& e, Picoseconds begin, Picoseconds end) {
  each_operand(e.instruction, [&](const AccessPattern& pattern, bool written) {
    const Space space = e.program.tensors[pattern.tensor].space;
    if (space == Space::kSbuf) core.sbuf.access(pattern.tensor, written, begin, end);
    if (space == Space::kPsum) core.psum.access(pattern.tensor, written, begin, end);
  });
}

void Counters::instruction(const InstructionEvent& e, TimelineTracks& tracks, PerfettoFile& file) {
  Core& c = core(e);
  if (e.instruction.opcode != Opcode::kDma) access(c, e, e.start, e.complete);
  if (e.limited.count() > 0 && e.start >= c.limited_until) limited(c, e, tracks, file);
}

// The limiter is armed for a fixed time from the first instruction that it slows.
void Counters::limited(Core& c, const InstructionEvent& e, TimelineTracks& tracks, PerfettoFile& file) const {
  c.limited_until = e.start + limiter_window_;
  if (level_ == TimelineLevel::kOperation) c.limited.add(e.start, c.limited_until, 1);
  if (level_ == TimelineLevel::kOperation || !window_.overlaps(e.start, c.limited_until)) return;
  if (c.limiter_track == 0)
    c.limiter_track = tracks.counter(e.rank, "core " + std::to_string(e.core) + " current limiter", "armed");
  file.set_counter(c.limiter_track, e.start, 1);
  file.set_counter(c.limiter_track, c.limited_until, 0);
}

void Counters::transfer(const TransferEvent& e) {
  Core& c = core(e.trigger);
  access(c, e.trigger, e.started, e.done);
  if (!packets_ || e.done == e.started) return;
  const double time = static_cast<double>((e.done - e.started).count());
  c.read.add(e.started, e.done, static_cast<double>(e.shape.hbm_read.count()) / time);
  c.written.add(e.started, e.done, static_cast<double>(e.shape.hbm_write.count()) / time);
}

void Counters::write(TimelineTracks& tracks, PerfettoFile& file) {
  const auto put = [&](std::uint64_t rank, const std::string& name, const std::string& unit, double factor,
                       const BinnedSeries& series) {
    if (!series.bins().empty()) write_series(series, tracks.counter(rank, name, unit), factor, file);
  };
  for (auto& [key, c] : cores_) {
    const std::string name = "core " + std::to_string(key.second) + ' ';
    c.sbuf.finish();
    c.psum.finish();
    put(key.first, name + "SBUF in use", "bytes", 1, c.sbuf.bytes());
    put(key.first, name + "PSUM in use", "bytes", 1, c.psum.bytes());
    put(key.first, name + "current limiter", "armed", 1, c.limited);
    put(key.first, name + "HBM read", "GB/s", kGigabytesPerSecond, c.read);
    put(key.first, name + "HBM written", "GB/s", kGigabytesPerSecond, c.written);
  }
  for (const ResourceLabel& label : labels_) {
    const ResourceRate& rate = rates_.rate(label.resource);
    const bool engines = label.kind == ResourceLabel::Kind::kDmaEngines;
    const std::string more = label.kind == ResourceLabel::Kind::kMemory ? " by collectives" : "";
    put(label.rank, label.name + " read", "GB/s", kGigabytesPerSecond, rate.read);
    put(label.rank, label.name + " written", "GB/s", kGigabytesPerSecond, rate.written);
    put(label.rank, label.name + more, engines ? "%" : "GB/s",
        engines ? kPercent / label.capacity : kGigabytesPerSecond * label.scale, rate.used);
  }
}

}  // namespace trn
