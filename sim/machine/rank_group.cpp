#include "sim/machine/rank_group.h"

#include <algorithm>
#include <map>

#include "base/error.h"

namespace trn {

Seating::Seating(const Job& job, const MachineConfig& machine)
    : job_(job),
      ranks_per_chip_(machine.chip.neuron_cores / job.programs[0].cores.size()),
      chips_(machine.fabric.chips()) {
  for (const Program& program : job.programs)
    if (program.cores.size() != job.programs[0].cores.size())
      throw ProgramError("job: " + job.programs[0].name + " and " + program.name +
                         " differ in cores a rank (LNC); all ranks of a machine are alike");
  if (job.ranks() == 1) {  // a rank alone needs no chip around it
    ranks_per_chip_ = chips_ = 1;
    return;
  }
  const std::uint64_t seats = chips_ * ranks_per_chip_;
  if (job.ranks() != seats)
    throw ProgramError("job: " + std::to_string(job.ranks()) + " ranks; " + machine.name + ':' +
                       machine.shape + " seats " + std::to_string(seats) + ", " +
                       std::to_string(ranks_per_chip_) + " a chip, and all must be taken");
  for (const std::uint64_t seat : job.seats)
    if (seat >= seats)
      throw ProgramError("job: seat " + std::to_string(seat) + " of " + std::to_string(seats));
}

std::vector<RankGroup> Seating::groups(const std::string& axis) const {
  std::vector<RankGroup> out;
  for (std::vector<std::uint64_t>& ranks : groups_of_axis(job_, axis)) {
    std::map<std::uint64_t, std::uint64_t> on_chip;
    for (const std::uint64_t rank : ranks) ++on_chip[chip(rank)];
    const std::uint64_t per_chip = on_chip.begin()->second;
    const bool even = std::all_of(on_chip.begin(), on_chip.end(),
                                  [&](const auto& entry) { return entry.second == per_chip; });
    if (!even || (on_chip.size() != 1 && on_chip.size() != chips_))
      throw ProgramError("job: axis " + axis + ": a group reaches over " + std::to_string(on_chip.size()) +
                         " of " + std::to_string(chips_) +
                         " chips; it must stay inside a chip or take the same number of ranks on every chip");
    out.push_back({std::move(ranks), on_chip.size(), per_chip});
  }
  return out;
}

double Seating::other_die_share(const RankGroup& group, std::uint64_t rank) const {
  if (!has_dies() || group.per_chip < 2) return 0;
  const auto there = std::count_if(group.ranks.begin(), group.ranks.end(), [&](std::uint64_t other) {
    return chip(other) == chip(rank) && die(other) != die(rank);
  });
  return static_cast<double>(there) / static_cast<double>(group.per_chip - 1);
}

Schedule group_schedule(const CollectiveDecl& decl, const RankGroup& group, const MachineConfig& machine,
                        const Topology& topology) {
  if (group.inside_chip())
    return make_chip_schedule(decl.op, decl.bytes, group.per_chip, machine.core.dma.accumulate_slowdown);
  CollectiveShape shape;
  shape.op = decl.op;
  shape.bytes = decl.bytes;
  shape.ranks_per_chip = group.per_chip;
  shape.slices = machine.collectives.slices;
  shape.min_slice_bytes = machine.collectives.min_slice_bytes;
  shape.reduce_slowdown = machine.core.dma.accumulate_slowdown;
  return make_schedule(shape, topology);
}

CollectiveConfig collective_config(const CollectiveDecl& decl, const MachineConfig& machine) {
  CollectiveConfig config = machine.collectives;
  if (decl.axis != "tp") config.packet = config.data_packet;
  return config;
}

FlowUse collective_stack_use(std::uint32_t stack, double share, const HbmConfig& hbm) {
  return {stack, share * hbm.efficiency.cost(HbmConfig::kCollectiveRun).mixed(), 0, 0, share};
}

double engine_time_per_byte(const MachineConfig& machine, std::size_t cores) {
  return 1 / (bytes_per_picosecond(machine.core.dma.engine_rate) *
              static_cast<double>(machine.core.dma.engines * cores));
}

}  // namespace trn
