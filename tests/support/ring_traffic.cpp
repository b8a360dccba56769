#include "tests/support/ring_traffic.h"

namespace trn {
namespace {

constexpr double kMemory = 2.864;  // bytes a picosecond: four stacks of 716 GB/s for a chip
constexpr double kEngines = 3.0;
constexpr double kLink = 1.0;

}  // namespace

std::vector<FlowClassId> machine_ring(FlowMover& mover, const RingShape& shape) {
  const std::uint32_t chips = shape.ranks / shape.ranks_per_chip;
  const double part = 1.0 / shape.ranks_per_chip;
  std::vector<std::uint32_t> memory, engines, links;
  for (std::uint32_t r = 0; r < shape.ranks; ++r) {
    memory.push_back(mover.add_resource("memory", part * kMemory));
    engines.push_back(mover.add_resource("engines", part * kEngines));
  }
  for (std::uint32_t l = 0; l < chips * shape.channels; ++l)
    links.push_back(mover.add_resource("link", kLink));
  std::vector<FlowClassId> classes;
  for (std::uint32_t r = 0; r < shape.ranks; ++r) {
    const std::uint32_t next = (r + 1) % shape.ranks;
    const std::uint32_t chip = r / shape.ranks_per_chip;
    const bool leaves = next / shape.ranks_per_chip != chip;
    for (std::uint32_t c = 0; c < shape.channels; ++c) {
      FlowShape flow;
      flow.weight = 65536;
      flow.uses = {{memory[r], 1, 0, 0, 1}, {memory[next], 2, 0, 0, 2}, {engines[r], 1}};
      for (std::uint32_t hop = 0; leaves && hop < 1 + c % 3; ++hop)
        flow.uses.push_back({links[(chip + hop) % chips * shape.channels + c], 1});
      classes.push_back(mover.intern(flow));
    }
  }
  return classes;
}

std::vector<FlowClassId> bare_ring(FlowMover& mover, const RingShape& shape, double rate) {
  std::vector<FlowClassId> classes;
  for (std::uint32_t c = 0; c < shape.ranks * shape.channels; ++c) {
    FlowShape flow;
    flow.uses = {{mover.add_resource("link", rate), 1}};
    classes.push_back(mover.intern(flow));
  }
  return classes;
}

RingTraffic::RingTraffic(Traffic& traffic, const RingShape& shape, std::vector<FlowClassId> classes,
                         std::uint32_t steps)
    : traffic_(traffic), shape_(shape), classes_(std::move(classes)), steps_(steps) {
  slices_.resize(classes_.size() * shape_.slices);
}

void RingTraffic::start(Picoseconds now) {
  for (std::uint64_t token = 0; token < slices_.size(); ++token)
    start_if_ready(token, now + shape_.latency, now);
}

void RingTraffic::start_if_ready(std::uint64_t token, Picoseconds at, Picoseconds now) {
  Slice& slice = slices_[token];
  slice.earliest = std::max(slice.earliest, at);
  if (slice.started == steps_ || std::min(slice.sent, slice.received) < slice.started) return;
  ++slice.started;
  traffic_.start_timer(std::max(now, slice.earliest), *this, token);
}

void RingTraffic::flow_done(std::uint64_t token, Picoseconds now) {
  ++ended_;
  ++slices_[token].sent;
  start_if_ready(token, now, now);
  const std::uint64_t next = (token + std::uint64_t{shape_.channels} * shape_.slices) % slices_.size();
  ++slices_[next].received;
  start_if_ready(next, now + shape_.latency, now);
}

void RingTraffic::timer(std::uint64_t token, Picoseconds now) {
  traffic_.start_flow(now, classes_[token / shape_.slices], shape_.slice, *this, token);
}

Picoseconds run_until_quiet(Traffic& traffic) {
  Picoseconds now;
  while (const std::optional<Picoseconds> next = traffic.next_event(now)) {
    now = *next;
    traffic.advance(now);
  }
  return now;
}

}  // namespace trn
