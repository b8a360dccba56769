// Flows packet by packet: what fluid sharing stands for. For small machines; slow.
#pragma once

#include <deque>
#include <map>
#include <queue>
#include <string>

#include "base/flow/flow_mover.h"
#include "base/flow/flow_shapes.h"

namespace trn {

// A flow is cut into packets of its weight's bytes. A packet goes through the flow's resources one after the
// other; a flow has at most `window` packets under way, so that one that is held up somewhere does not crowd
// the others elsewhere. A resource serves the flows before it in turn, a packet each, and none while one of a
// more urgent priority waits. Caps of single flows and turning around are not modelled.
class PacketMover final : public FlowMover {
 public:
  explicit PacketMover(std::uint32_t window) : window_(window) {}

  using FlowMover::add_resource;
  std::uint32_t add_resource(std::string name, double capacity, TurnShape turning) override;
  FlowClassId intern(const FlowShape& shape) override { return shapes_.intern(shape); }
  FlowId start(Picoseconds now, FlowClassId flow_class, Bytes bytes) override;
  FlowId start(Picoseconds now, const FlowSpec& spec) override;
  std::optional<Picoseconds> next_completion(Picoseconds now) override;
  void take_completed(Picoseconds now, std::vector<FlowId>& completed) override;

 private:
  struct Flow {
    FlowClassId flow_class = 0;
    std::uint64_t to_send = 0, to_arrive = 0;        // bytes
    std::vector<std::deque<std::uint64_t>> waiting;  // packets, by use
  };
  struct Turn {
    FlowId flow;
    std::uint32_t use;
  };
  struct Resource {
    double capacity;
    bool busy = false;
    std::map<std::uint32_t, std::deque<Turn>> turns;  // by priority; a flow once
  };
  struct Served {
    Picoseconds at;
    std::uint64_t serial;
    Turn turn;
    std::uint64_t bytes;
    bool operator<(const Served& o) const { return at != o.at ? o.at < at : o.serial < serial; }
  };
  const FlowUse& use_of(Turn turn) const { return shapes_[flows_[turn.flow].flow_class].uses[turn.use]; }
  void send(FlowId flow, Picoseconds now);
  void arrive(Turn turn, std::uint64_t bytes, Picoseconds now);
  void serve(std::uint32_t resource, Picoseconds now);

  std::uint32_t window_;
  FlowShapes shapes_;
  std::vector<Flow> flows_;
  std::vector<Resource> resources_;
  std::priority_queue<Served> served_;
  std::uint64_t next_serial_ = 0;
};

}  // namespace trn
