// Runs collectives alone on a machine, beside what they cannot beat.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "models/interconnect/collectives/bounds/bounds.h"
#include "models/interconnect/collectives/collective_run.h"
#include "sim/machine/run_listener.h"

namespace trn {

// One group and what it does. Several start together and share the machine.
struct CollectiveJob {
  CollectiveTask task;  // slices are the configuration's
  Group group = Group::whole(1, 1);
  std::string algorithm = "auto";
  std::uint32_t priority = 0;
  DType dtype = DType::kBf16;      // for who listens
  std::vector<Picoseconds> delay;  // by rank: it starts so much later
  // If set, makes the schedule for a task and a number of ranks; `algorithm` is its name.
  std::function<Schedule(const CollectiveTask&, std::uint32_t)> schedule;
};

struct CollectiveOptions {
  enum class Detail : std::uint8_t { kAuto, kFull };
  Detail detail = Detail::kAuto;
  // Compute DMA in the background on every chip, bytes a second read from HBM, as far as it gets through;
  // with its own packet size and, where there are classes, priority.
  double background_rate = 0;
  std::uint32_t background_priority = 0;
  RunListener* listener = nullptr;
};

struct CollectiveResult {
  std::string algorithm;
  Picoseconds time;
  CollectiveBound bound;
  std::string binding;       // resource that bound its flows for the longest time, or "latency"
  double binding_share = 0;  // of the run time, of the busiest resource
  bool folded = false;       // one chip stood for all
  std::string why_full;      // if not
  std::uint64_t moves = 0;
  double hbm_bytes_a_rank = 0;  // read and written, on average
};

// The first job's time is the result's; the others run beside it. DeadlockError if one gets stuck.
CollectiveResult run_collectives(const std::vector<CollectiveJob>& jobs, const MachineConfig& machine,
                                 const CollectiveOptions& options = {});
CollectiveResult run_collective(const CollectiveJob& job, const MachineConfig& machine,
                                const CollectiveOptions& options = {});

}  // namespace trn
