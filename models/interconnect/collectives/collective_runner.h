// Runs a Schedule over flows: on every chip, or on one that stands for all.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "models/interconnect/collectives/schedule.h"
#include "models/interconnect/traffic/traffic.h"

namespace trn {

// The resources a collective's flows take.
struct FabricResources {
  // kOne: one chip stands for all, which is exact as long as every chip does the same: a link class has the
  // capacity of one link, and a flow takes of it what all chips' flows of its kind take, divided by the
  // chips.
  enum class Detail : std::uint8_t { kOne, kAll };
  Detail detail = Detail::kOne;
  std::vector<std::uint32_t> links;  // kOne: by class; kAll: by Topology::link
  // By chip (kOne: one): what a byte read or written, and a byte moved by the DMA engines, takes of what.
  std::vector<std::vector<FlowUse>> hbm;
  std::vector<std::vector<FlowUse>> dma;
  std::vector<std::vector<FlowUse>>
      crossing;  // of a byte of a Move::kLocal step: the die-to-die path; or empty

  // A whole chip's stacks and DMA engines, as one rank a chip owns them.
  static FabricResources make(FlowEngine& flows, const Topology& topology, const MachineConfig& machine,
                              Detail detail);
};

// One collective in flight. A step starts a step latency after the data it waits for, and straight after its
// predecessor on the same pre-built DMA ring.
class CollectiveRun : public TrafficActor {
 public:
  CollectiveRun(Traffic& traffic, const Topology& topology, const FabricResources& resources,
                Schedule schedule, const CollectiveConfig& config, std::function<void(Picoseconds)> done);

  void start(Picoseconds now);
  void flow_done(std::uint64_t token, Picoseconds now) override;
  void timer(std::uint64_t token, Picoseconds now) override;

 private:
  // One chip's part of one step; numbered chip * steps + step.
  struct StepState {
    std::uint32_t waiting = 0;   // open dependencies
    std::uint32_t sending = 0;   // flows in flight
    std::uint32_t arriving = 0;  // flows that have still to come in
    Picoseconds earliest;        // by the dependencies met so far
  };
  struct Flight {
    std::uint64_t sender;  // step state
    std::uint64_t receiver;
  };
  struct Planned {
    FlowSpec flow;
    std::uint64_t to;  // chip
  };
  std::uint64_t state(std::uint64_t chip, std::uint32_t step) const {
    return chip * schedule_.steps.size() + step;
  }
  std::uint32_t arrivals(const ScheduleStep& step) const;
  void unlock(std::uint64_t state, const std::vector<std::vector<std::uint32_t>>& unlocks, Picoseconds at,
              Picoseconds now);
  void launch(std::uint64_t chip, std::uint32_t step, Picoseconds now);
  void exchange(std::uint64_t chip, const ScheduleStep& step, std::vector<Planned>& flows) const;
  void all_to_all(std::uint64_t chip, const ScheduleStep& step, std::vector<Planned>& flows) const;
  FlowSpec flow(std::uint64_t chip, const ScheduleStep& step, double bytes) const;
  std::uint32_t link(std::uint32_t link_class, std::uint64_t chip) const;

  Traffic& traffic_;
  const Topology& topology_;
  const FabricResources& resources_;
  Schedule schedule_;
  CollectiveConfig config_;
  std::function<void(Picoseconds)> done_;
  std::uint64_t chips_;
  std::vector<StepState> states_;
  std::vector<std::vector<std::uint32_t>> unlocks_received_;  // by step: steps that wait for its data
  std::vector<std::vector<std::uint32_t>> unlocks_own_;
  std::vector<Flight> flights_;
  std::uint64_t open_ = 0;  // flows still to arrive, over all steps
};

}  // namespace trn
