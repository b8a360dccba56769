#include "models/memory/hbm/channel_memory.h"

#include <algorithm>

namespace trn {
namespace {

// The DMA engine's latencies, trigger to first byte and last byte to waiting engine, were measured from
// outside and have the way to the controller and back in them: it is not paid a second time.
DramConfig without_controller(DramConfig dram) {
  dram.controller_latency = 0;
  return dram;
}

}  // namespace

ChannelMemory::ChannelMemory(const DramConfig& dram)
    : stack_(without_controller(dram)), slack_(stack_.lookahead()) {}

std::uint64_t ChannelMemory::cycle_at_or_after(Picoseconds t) const {
  const DramConfig& dram = stack_.config();
  const auto per_second = static_cast<unsigned __int128>(dram.rate.count()) * dram.t.burst;
  const std::uint64_t bytes = dram.burst_bytes * dram.channels * 1'000'000;
  const auto cycle = static_cast<std::uint64_t>(t.count() * per_second / bytes);
  return dram.time_of(cycle) < t ? cycle + 1 : cycle;
}

void ChannelMemory::catch_up(std::uint64_t cycle) {
  if (cycle <= issued_) return;
  issued_ = cycle;
  stack_.advance(cycle, completed_);
  // A ticket may be given out again before its time has come.
  for (const HbmDone& done : completed_) done_.push({done.cycle, next_serial_++, open_[done.ticket]});
  completed_.clear();
}

// Writes are posted: a controller that holds them back for a batch, reads first, does not hold back the
// engine that waits for the acknowledgement.
void ChannelMemory::request(Picoseconds now, const MemoryRequest& request) {
  const std::uint64_t cycle = std::max(issued_, cycle_at_or_after(now));
  catch_up(cycle);
  const std::uint32_t ticket =
      stack_.request(cycle, {request.address, request.bytes, request.write, request.write});
  if (open_.size() <= ticket) open_.resize(ticket + 1);
  open_[ticket] = request;
}

// Whatever completes before the next command's data is known already.
Picoseconds ChannelMemory::next() const {
  std::uint64_t cycle = stack_.next();
  if (cycle != kNeverCycle) cycle += slack_;
  if (!done_.empty()) cycle = std::min(cycle, done_.top().cycle);
  return cycle == kNeverCycle ? Picoseconds::max() : stack_.config().time_of(cycle);
}

void ChannelMemory::advance(Picoseconds now, std::vector<std::uint32_t>& done) {
  catch_up(cycle_at_or_after(now));
  while (!done_.empty() && stack_.config().time_of(done_.top().cycle) <= now) {
    const MemoryRequest& request = done_.top().request;
    (request.write ? totals_.written : totals_.read) += Bytes(request.bytes);
    done.push_back(request.tag);
    done_.pop();
  }
}

}  // namespace trn
