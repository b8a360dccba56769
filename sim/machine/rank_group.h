// The ranks of one group of a mesh axis as the machine sees them: so many on a chip, one chip or all of them.
#pragma once

#include <string>
#include <vector>

#include "base/flow/max_min.h"
#include "isa/job.h"
#include "models/interconnect/collectives/schedule.h"
#include "models/machine_config.h"

namespace trn {

struct RankGroup {
  std::vector<std::uint64_t> ranks;
  std::uint64_t chips = 1;     // 1, or all of the machine
  std::uint64_t per_chip = 1;  // members on each of its chips

  bool inside_chip() const { return chips == 1; }
};

// Where the ranks of a job sit.
class Seating {
 public:
  // ProgramError if the job has more ranks than the machine has seats.
  Seating(const Job& job, const MachineConfig& machine);

  std::uint64_t ranks_per_chip() const { return ranks_per_chip_; }
  std::uint64_t chips() const { return chips_; }
  std::uint64_t chip(std::uint64_t rank) const { return job_.seat(rank) / ranks_per_chip_; }
  // A chip's ranks sit half on one die, half on the other; with up to two, crossing is no path of its own.
  bool has_dies() const { return ranks_per_chip_ > 2; }
  std::uint64_t die(std::uint64_t rank) const {
    return job_.seat(rank) % ranks_per_chip_ < ranks_per_chip_ / 2 ? 0 : 1;
  }

  // ProgramError naming the axis if a group reaches over some chips but not all.
  std::vector<RankGroup> groups(const std::string& axis) const;
  // Of a group's ranks on this rank's chip, the share that sits on the other die.
  double other_die_share(const RankGroup& group, std::uint64_t rank) const;

 private:
  const Job& job_;
  std::uint64_t ranks_per_chip_;
  std::uint64_t chips_;
};

// What a group does for one collective: one rank's part inside a chip, one chip's part across chips.
Schedule group_schedule(const CollectiveDecl& decl, const RankGroup& group, const MachineConfig& machine,
                        const Topology& topology);

// Its packets: the tensor axis ("tp") takes the full size, the data axes the one of a tuned run.
CollectiveConfig collective_config(const CollectiveDecl& decl, const MachineConfig& machine);

// What a collective's HBM byte takes of a stack whose capacity is its peak; `share`: of its bytes that lie
// there.
FlowUse collective_stack_use(std::uint32_t stack, double share, const HbmConfig& hbm);

// Engine time, in ps, that a collective's byte takes of each core's engines when the rank's cores share it.
double engine_time_per_byte(const MachineConfig& machine, std::size_t cores);

}  // namespace trn
