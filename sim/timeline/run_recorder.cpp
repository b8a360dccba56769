#include "sim/timeline/run_recorder.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace trn {
namespace {

class MoveForwarder : public MoveListener {
 public:
  MoveForwarder(std::vector<EventSink*> sinks, std::vector<std::uint64_t> ranks, std::vector<bool> wanted,
                CollectiveDecl decl, Simulated simulated)
      : sinks_(std::move(sinks)),
        ranks_(std::move(ranks)),
        wanted_(std::move(wanted)),
        decl_(std::move(decl)),
        simulated_(simulated) {}

  void moved(const CollectiveMove& move) override {
    if (!wanted_[move.site]) return;
    const std::uint64_t rank = ranks_[move.site];
    for (EventSink* sink : sinks_)
      sink->move({rank, simulated_ == Simulated::kOneRank ? 0 : rank, decl_, move});
  }

 private:
  const std::vector<EventSink*> sinks_;
  const std::vector<std::uint64_t> ranks_;  // by site
  const std::vector<bool> wanted_;
  const CollectiveDecl decl_;
  const Simulated simulated_;
};

}  // namespace

RunRecorder::RunRecorder(std::vector<EventSink*> sinks, std::optional<std::vector<std::uint64_t>> ranks)
    : sinks_(std::move(sinks)), ranks_(std::move(ranks)) {}

void RunRecorder::begin(const Job& job, const MachineConfig& machine, Simulated simulated) {
  if (ranks_ && ranks_->back() >= job.ranks())
    throw UsageError("--timeline-ranks: rank " + std::to_string(ranks_->back()) + " of " +
                     with_commas(job.ranks()) + ": they are 0 to " + std::to_string(job.ranks() - 1));
  if (ranks_ && simulated == Simulated::kOneRank && *ranks_ != std::vector<std::uint64_t>{0})
    throw UsageError("--timeline-ranks: only rank 0 is simulated and stands for all " +
                     with_commas(job.ranks()) + "; --detail full simulates every rank");
  job_ = &job;
  core_ = machine.core;
  simulated_ = simulated;
  std::vector<std::uint64_t> told{0};
  if (simulated == Simulated::kEveryRank) {
    told.clear();
    for (std::uint64_t rank = 0; rank < job.ranks(); ++rank)
      if (wanted(rank)) told.push_back(rank);
  }
  for (EventSink* sink : sinks_) sink->begin(job, machine, simulated, told);
}

bool RunRecorder::wanted(std::uint64_t rank) const {
  return !ranks_ || std::binary_search(ranks_->begin(), ranks_->end(), rank);
}

void RunRecorder::resource(const ResourceLabel& label) {
  if (!wanted(label.rank)) return;
  for (EventSink* sink : sinks_) sink->resource(label);
}

FlowListener* RunRecorder::flows() {
  for (EventSink* sink : sinks_)
    if (sink->flows() != nullptr) return sink->flows();
  return nullptr;
}

ExecutionObserver* RunRecorder::cores(std::uint64_t rank, ExecutionObserver* next) {
  if (!wanted(rank)) return next;
  return &recorders_.try_emplace(rank, rank, job_->program(rank), *core_, sinks_, next_arrow_, next)
              .first->second;
}

// Packets are simulated of one rank alone.
PacketListener* RunRecorder::packets(std::uint64_t rank) {
  TRN_CHECK(rank == 0, "packets of several ranks");
  for (const EventSink* sink : sinks_)
    if (sink->wants_packets()) return this;
  return nullptr;
}

void RunRecorder::packet(const EnginePacket& packet) {
  for (EventSink* sink : sinks_) sink->packet({0, job_->program(0), packet});
}

void RunRecorder::collective(const CollectiveRecord& record) {
  if (!wanted(record.rank)) return;
  const auto recorder = recorders_.find(record.rank);  // collectives may run without cores
  const CollectiveEvent event =
      recorder == recorders_.end() ? CollectiveEvent{record, 0, 0} : recorder->second.collective_done(record);
  for (EventSink* sink : sinks_) sink->collective(event);
}

std::unique_ptr<MoveListener> RunRecorder::moves(const std::vector<std::uint64_t>& ranks,
                                                 const CollectiveDecl& decl) {
  std::vector<EventSink*> listening;
  for (EventSink* sink : sinks_)
    if (sink->wants_moves()) listening.push_back(sink);
  if (listening.empty()) return nullptr;
  std::vector<bool> wanted_sites;
  for (const std::uint64_t rank : ranks)
    wanted_sites.push_back(simulated_ == Simulated::kOneRank || wanted(rank));
  return std::make_unique<MoveForwarder>(std::move(listening), ranks, std::move(wanted_sites), decl,
                                         simulated_);
}

// What is still open ends.
void RunRecorder::end() {
  for (auto& [rank, recorder] : recorders_) recorder.finish();
  for (EventSink* sink : sinks_) sink->end();
}

}  // namespace trn
