// The groups of a job's mesh axes as the machine sees them: which chips their ranks sit on.
#pragma once

#include <string>
#include <vector>

#include "base/flow/max_min.h"
#include "isa/job.h"
#include "models/interconnect/collectives/collective_run.h"
#include "models/interconnect/collectives/group.h"
#include "models/machine_config.h"

namespace trn {

struct RankGroup {
  std::vector<std::uint64_t> ranks;
  Group group = Group::whole(1, 1);
  GroupShape shape;
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

  std::vector<RankGroup> groups(const std::string& axis, const Topology& topology) const;
  // Empty if what one rank sees of the axis all ranks see; else why not.
  std::string why_not_alike(const std::string& axis, const Topology& topology) const;

 private:
  const Job& job_;
  std::uint64_t ranks_per_chip_;
  std::uint64_t chips_;
};

std::shared_ptr<const Schedule> group_schedule(const CollectiveDecl& decl, const GroupShape& shape,
                                               const MachineConfig& machine);

// Its packets: the tensor axis ("tp") takes the full size, the data axes the one of a tuned run.
CollectiveStart collective_start(const CollectiveDecl& decl, const MachineConfig& machine,
                                 std::uint64_t ranks_per_chip);

// What a collective's HBM byte takes of a stack whose capacity is its peak; `share`: of its bytes that lie
// there.
FlowUse collective_stack_use(std::uint32_t stack, double share, const HbmConfig& hbm);

// Engine time, in ps, that a collective's byte takes of each core's engines when the rank's cores share it.
double engine_time_per_byte(const MachineConfig& machine, std::size_t cores);

}  // namespace trn
