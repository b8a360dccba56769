// A collective as users ask for it, and what that means.
#pragma once

#include <string>
#include <vector>

#include "isa/dtype.h"
#include "sim/run/collective_simulation.h"
#include "sim/study/machine_choice.h"

namespace trn {

struct CollectiveQuestion {
  std::string op;
  MachineChoice machine;
  std::uint32_t ranks_per_chip = 1;
  std::uint32_t domains = 1;
  std::vector<std::string> groups;
  std::vector<std::string> beside;
  std::string sizes = "1MiB:1GiB:x4";
  std::string block_sizes;
  std::string dtype = "bf16";
  std::string algorithm = "auto";
  std::string detail = "auto";
  std::vector<std::string> delays;
  std::uint32_t root = 0;
  std::int64_t shift = 1;
  std::string pairs;
  std::uint32_t priority = 0;
  double background_gb_per_s = 0;
  std::uint32_t background_priority = 0;
  double straggler_us = 0;
};

struct CollectiveSetting {
  MachineConfig machine;
  DType dtype = DType::kBf16;
  CollectiveJob job;                  // the one that is timed
  std::vector<CollectiveJob> groups;  // do the same at the same time
  std::vector<CollectiveJob> beside;  // something else
  CollectiveOptions options;
  std::vector<std::uint64_t> sizes;
  std::string algorithm;
  std::string who;  // "64 ranks, 4 a chip"

  // UsageError unless the algorithm suits the operation and the group.
  void check_algorithm() const;
  void set_size(std::uint64_t size);
  // Those to compare at the present size: one, or every one that suits the group.
  std::vector<std::string> algorithms() const;
  std::vector<CollectiveJob> all() const;
};

// UsageError naming the option.
CollectiveSetting collective_setting(const CollectiveQuestion& question, const MachineConfig& machine);

// How much later the last of the ranks is expected to start, each by a time drawn from an exponential
// distribution of this mean: the mean times the harmonic number of the ranks.
Picoseconds straggler_time(const CollectiveQuestion& question, std::uint32_t ranks);

// UsageError with the known names.
CollectiveOp parse_collective_op(const std::string& name);

}  // namespace trn
