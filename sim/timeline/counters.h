// What a timeline counts: memory in use, rates of resources, the current limiter.
#pragma once

#include <map>
#include <vector>

#include "sim/timeline/memory_use.h"
#include "sim/timeline/resource_rates.h"
#include "sim/timeline/timeline_options.h"
#include "sim/timeline/timeline_tracks.h"

namespace trn {

class Counters {
 public:
  // At the level of operations the limiter's state is a share of time: it changes with every matmul or two.
  Counters(const TimeWindow& window, TimelineLevel level) : window_(window), level_(level), rates_(window) {}

  void begin(const MachineConfig& machine);
  void watch(const ResourceLabel& label);
  FlowListener* flows() { return &rates_; }
  void instruction(const InstructionEvent& e, TimelineTracks& tracks, PerfettoFile& file);
  void transfer(const TransferEvent& e);
  // After the run.
  void write(TimelineTracks& tracks, PerfettoFile& file);

 private:
  struct Core {
    Core(const Program& program, const TimeWindow& window)
        : sbuf(program, Space::kSbuf, window),
          psum(program, Space::kPsum, window),
          read(window),
          written(window),
          limited(window) {}
    MemoryUse sbuf, psum;
    BinnedSeries read, written;  // HBM, where its channels are simulated
    BinnedSeries limited;
    std::uint64_t limiter_track = 0;
    Picoseconds limited_until;
  };
  using Key = std::pair<std::uint64_t, std::uint32_t>;  // rank, core
  Core& core(const InstructionEvent& e);
  static void access(Core& core, const InstructionEvent& e, Picoseconds begin, Picoseconds end);

  void limited(Core& core, const InstructionEvent& e, TimelineTracks& tracks, PerfettoFile& file) const;

  TimeWindow window_;
  TimelineLevel level_;
  Picoseconds limiter_window_;
  bool packets_ = false;
  ResourceRates rates_;
  std::vector<ResourceLabel> labels_;
  std::map<Key, Core> cores_;
};

}  // namespace trn
