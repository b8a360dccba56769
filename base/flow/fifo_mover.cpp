#include "base/flow/fifo_mover.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace trn {

std::uint32_t FifoMover::add_resource(std::string name, double capacity, TurnShape) {
  TRN_CHECK(capacity > 0, "resource " + name + " without capacity");
  resources_.push_back({capacity});
  return static_cast<std::uint32_t>(resources_.size() - 1);
}

FlowId FifoMover::start(Picoseconds now, const FlowSpec& spec) {
  return start(now, intern({spec.weight, spec.cap, spec.priority, spec.uses}), spec.bytes);
}

FlowId FifoMover::start(Picoseconds now, FlowClassId flow_class, Bytes bytes) {
  TRN_CHECK(bytes.count() > 0, "a flow of no bytes");
  const FlowShape& shape = shapes_[flow_class];
  const double length = static_cast<double>(bytes.count());
  const double arrival = static_cast<double>(now.count());
  double begin = arrival;
  for (const FlowUse& use : shape.uses) begin = std::max(begin, resources_[use.resource].free);
  double slowest = length / shape.cap;
  for (const FlowUse& use : shape.uses) {
    Resource& resource = resources_[use.resource];
    const double busy = length * use.coefficient / resource.capacity;
    resource.free = begin + busy;
    slowest = std::max(slowest, busy);
  }
  FlowId flow = flows_;
  if (free_.empty()) {
    ++flows_;
  } else {
    flow = free_.back();
    free_.pop_back();
  }
  // Rounded after the whole picoseconds are taken off: a flow that does not wait takes bytes / rate exactly.
  const auto takes = static_cast<std::uint64_t>(std::ceil(begin - arrival + slowest));
  ends_.push({now + Picoseconds(takes), next_serial_++, flow});
  return flow;
}

std::optional<Picoseconds> FifoMover::next_completion(Picoseconds) {
  if (ends_.empty()) return std::nullopt;
  return ends_.top().at;
}

void FifoMover::take_completed(Picoseconds now, std::vector<FlowId>& completed) {
  completed.clear();
  for (; !ends_.empty() && ends_.top().at <= now; ends_.pop()) completed.push_back(ends_.top().flow);
  free_.insert(free_.end(), completed.begin(), completed.end());
}

}  // namespace trn
