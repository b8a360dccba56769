#include "tests/support/packet_mover.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace trn {

std::uint32_t PacketMover::add_resource(std::string, double capacity, TurnShape) {
  resources_.push_back({capacity, false, {}});
  return static_cast<std::uint32_t>(resources_.size() - 1);
}

FlowId PacketMover::start(Picoseconds now, const FlowSpec& spec) {
  return start(now, intern({spec.weight, spec.cap, spec.priority, spec.uses}), spec.bytes);
}

FlowId PacketMover::start(Picoseconds now, FlowClassId flow_class, Bytes bytes) {
  TRN_CHECK(!shapes_[flow_class].uses.empty(), "packets need a resource");
  Flow flow;
  flow.flow_class = flow_class;
  flow.to_send = flow.to_arrive = bytes.count();
  flow.waiting.resize(shapes_[flow_class].uses.size());
  flows_.push_back(std::move(flow));
  const auto id = static_cast<FlowId>(flows_.size() - 1);
  for (std::uint32_t i = 0; i < window_; ++i) send(id, now);
  return id;
}

void PacketMover::send(FlowId flow, Picoseconds now) {
  Flow& f = flows_[flow];
  const std::uint64_t packet = std::min(f.to_send, static_cast<std::uint64_t>(shapes_[f.flow_class].weight));
  if (packet == 0) return;
  f.to_send -= packet;
  arrive({flow, 0}, packet, now);
}

void PacketMover::arrive(Turn turn, std::uint64_t bytes, Picoseconds now) {
  Flow& flow = flows_[turn.flow];
  const std::uint32_t resource = use_of(turn).resource;
  flow.waiting[turn.use].push_back(bytes);
  if (flow.waiting[turn.use].size() == 1)
    resources_[resource].turns[shapes_[flow.flow_class].priority].push_back(turn);
  serve(resource, now);
}

void PacketMover::serve(std::uint32_t resource, Picoseconds now) {
  Resource& r = resources_[resource];
  if (r.busy) return;
  for (auto& [priority, turns] : r.turns) {
    if (turns.empty()) continue;
    const Turn turn = turns.front();
    turns.pop_front();
    std::deque<std::uint64_t>& waiting = flows_[turn.flow].waiting[turn.use];
    const std::uint64_t bytes = waiting.front();
    waiting.pop_front();
    if (!waiting.empty()) turns.push_back(turn);
    const double time = static_cast<double>(bytes) * use_of(turn).coefficient / r.capacity;
    r.busy = true;
    served_.push(
        {now + Picoseconds(static_cast<std::uint64_t>(std::ceil(time))), next_serial_++, turn, bytes});
    return;
  }
}

// The next packet somewhere: nothing completes before.
std::optional<Picoseconds> PacketMover::next_completion(Picoseconds) {
  if (served_.empty()) return std::nullopt;
  return served_.top().at;
}

void PacketMover::take_completed(Picoseconds now, std::vector<FlowId>& completed) {
  completed.clear();
  while (!served_.empty() && served_.top().at <= now) {
    const Served served = served_.top();
    served_.pop();
    const std::uint32_t resource = use_of(served.turn).resource;
    resources_[resource].busy = false;
    Flow& flow = flows_[served.turn.flow];
    if (served.turn.use + 1 < flow.waiting.size()) {
      arrive({served.turn.flow, served.turn.use + 1}, served.bytes, now);
    } else {
      flow.to_arrive -= served.bytes;
      if (flow.to_arrive == 0) completed.push_back(served.turn.flow);
      send(served.turn.flow, now);
    }
    serve(resource, now);
  }
  std::sort(completed.begin(), completed.end());  // numbers are not reused: in order of start
}

}  // namespace trn
