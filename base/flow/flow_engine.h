// Flows over time: remaining bytes, re-solved rates, completions. Pure: time goes in, time comes out.
#pragma once

#include <cstdint>
#include <optional>
#include <queue>
#include <string>
#include <vector>

#include "base/flow/max_min.h"
#include "base/flow/turn_shape.h"
#include "base/units.h"

namespace trn {

using FlowId = std::uint32_t;

// What one resource did to one flow: filled in while the flow is bound by it. Belongs to the flow's owner and
// must outlive the flow.
struct FlowWatch {
  std::uint32_t resource = kOwnCap;
  double picoseconds = 0;  // bound by the resource
  double bytes = 0;        // moved meanwhile
};

struct FlowSpec {
  Bytes bytes;  // > 0
  double weight = 1;
  double cap = std::numeric_limits<double>::infinity();  // bytes a picosecond
  std::uint32_t priority = 0;
  std::vector<FlowUse> uses;
  FlowWatch* watch = nullptr;
};

// Only the connected component that a start or a completion touches is re-solved. Simultaneous changes
// are solved once. Flow numbers are reused; order of start is kept by a serial number, so that rates are
// the same bits for the same history. Completions are rounded up to a picosecond.
class FlowEngine {
 public:
  // `capacity`: units a picosecond, where a flow takes coefficient x bytes of units.
  std::uint32_t add_resource(std::string name, double capacity, TurnShape turning = {});

  FlowId start(Picoseconds now, const FlowSpec& spec);
  // The next completion at the rates of `now`; nothing if no flow is active.
  std::optional<Picoseconds> next_completion(Picoseconds now);
  // Takes the flows that complete at exactly `now`, in order of start.
  void take_completed(Picoseconds now, std::vector<FlowId>& completed);

  std::size_t active() const { return active_count_; }
  std::uint64_t solves() const { return solves_; }
  double rate(FlowId flow) const { return flows_[flow].rate; }
  // Some flow was active, up to the last completion after which none was.
  Picoseconds active_time() const { return active_time_; }

  struct ResourceReport {
    std::string name;
    double capacity;           // units a picosecond
    double units_moved;        // integral of the used capacity
    double turn_units;         // part of it that went into turning around,
    double payload;            // and part that flows were after
    double bound_picoseconds;  // summed over flows: time during which this resource was the binding one
    Picoseconds binding;       // the binding one of at least one flow
  };
  // Up to the last completion or solve.
  std::vector<ResourceReport> report() const;

 private:
  struct Flow {
    FlowSpec spec;
    double remaining = 0;
    double rate = 0;
    std::uint32_t binding = kOwnCap;
    Picoseconds since;   // `remaining` is valid at this time
    Picoseconds finish;  // projected at `rate`
    std::uint64_t serial = 0;
    std::uint64_t version = 0;  // heap entries of older versions are stale
    bool active = false;
    bool visited = false;
  };
  struct Resource {
    std::string name;
    double capacity = 0;
    double units_moved = 0, turn_units = 0, payload = 0;
    double bound_picoseconds = 0;
    std::uint32_t bound_flows = 0;  // binds so many now,
    Picoseconds bound_since;        // the first of them since then
    Picoseconds binding;
    std::vector<FlowId> flows;
    TurnShape turn_shape{};
    double turning = 0;       // of the turns' full cost that its flows pay now
    std::uint32_t local = 0;  // index inside the component being solved
    bool visited = false;
    bool dirty = false;
  };
  struct Projected {
    Picoseconds finish;
    std::uint64_t serial;
    FlowId flow;
    std::uint64_t version;
    bool operator<(const Projected& other) const {
      return other.finish != finish ? other.finish < finish : other.serial < serial;
    }
  };

  void settle(Picoseconds now);
  void collect_component(std::uint32_t from);
  void solve_component(Picoseconds now);
  void fill_demands();
  void charge_turns();
  bool find_turning(const std::vector<FlowShare>& shares, Picoseconds now);
  void account(Flow& flow, Picoseconds now);
  void rebind(Flow& flow, std::uint32_t binding, Picoseconds now);
  void mark_dirty(const Flow& flow);

  std::vector<Flow> flows_;
  std::vector<FlowId> free_;
  std::vector<Resource> resources_;
  std::vector<std::uint32_t> dirty_;
  std::priority_queue<Projected> projected_;
  std::uint64_t next_serial_ = 0;
  std::size_t active_count_ = 0;
  Picoseconds active_since_, active_time_;
  std::uint64_t solves_ = 0;

  MaxMinSolver solver_;
  std::vector<FlowId> component_flows_;
  std::vector<std::uint32_t> component_resources_;
  std::vector<double> capacity_;
  std::vector<FlowDemand> demands_;
  struct Directions {
    double read = 0, write = 0, load = 0, turn = 0;
  };
  std::vector<Directions> directions_;  // by local resource
  std::vector<std::vector<FlowUse>> local_uses_;
};

}  // namespace trn
