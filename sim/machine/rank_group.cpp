#include "sim/machine/rank_group.h"

#include <algorithm>

#include "base/error.h"
#include "models/interconnect/collectives/choose.h"

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

std::vector<RankGroup> Seating::groups(const std::string& axis, const Topology& topology) const {
  std::vector<RankGroup> out;
  for (std::vector<std::uint64_t>& ranks : groups_of_axis(job_, axis)) {
    std::vector<Seat> seats;
    for (const std::uint64_t rank : ranks)
      seats.push_back({0, static_cast<std::uint32_t>(chip(rank)),
                       static_cast<std::uint32_t>(job_.seat(rank) % ranks_per_chip_)});
    Group group = Group::of(std::move(seats));
    GroupShape shape = group.shape(topology);
    out.push_back({std::move(ranks), std::move(group), std::move(shape)});
  }
  return out;
}

// Inside their chips, or over every chip, or over all chips that differ in the same coordinates only: then
// the machine's symmetries map the groups on each other.
std::string Seating::why_not_alike(const std::string& axis, const Topology& topology) const {
  const std::vector<RankGroup> all = groups(axis, topology);
  const GroupShape& first = all[0].shape;
  for (const RankGroup& g : all) {
    if (!g.shape.regular) return "axis " + axis + ": groups with unequal numbers of ranks on their chips";
    if (g.shape.per_chip != first.per_chip || g.shape.chips != first.chips ||
        g.shape.dimensions.size() != first.dimensions.size())
      return "axis " + axis + ": groups of different shapes";
  }
  if (first.chips == 1) return {};
  if (!topology.chips_alike()) return "a machine whose chips differ";
  const bool box = first.chips == topology.chips() || !first.dimensions.empty();
  return box ? "" : "axis " + axis + ": groups over chips that are no whole dimensions of the machine";
}

std::shared_ptr<const Schedule> group_schedule(const CollectiveDecl& decl, const GroupShape& shape,
                                               const MachineConfig& machine) {
  CollectiveTask task;
  task.op = decl.op;
  task.bytes = decl.bytes;
  task.granule = size_of(decl.dtype);
  task.slices = machine.collectives.slices;
  task.min_slice_bytes = machine.collectives.min_slice_bytes;
  task.ring_slices = machine.collectives.ring_slices;
  task.packet_bytes = machine.collectives.packet.count();
  const std::string name = choose_algorithm(task, shape, machine.collectives.automatic);
  Schedule schedule = make_schedule(name, task, shape);
  schedule.algorithm = name;
  return std::make_shared<const Schedule>(std::move(schedule));
}

CollectiveStart collective_start(const CollectiveDecl& decl, const MachineConfig& machine,
                                 std::uint64_t ranks_per_chip) {
  CollectiveStart start;
  start.config = machine.collectives;
  if (decl.axis != "tp") start.config.packet = start.config.data_packet;
  start.priority = decl.priority;
  const std::uint64_t cores = machine.chip.cc_cores / ranks_per_chip / machine.collectives.streams;
  start.trigger = Picoseconds(machine.collectives.trigger.count() / std::max<std::uint64_t>(1, cores));
  return start;
}

FlowUse collective_stack_use(std::uint32_t stack, double share, const HbmConfig& hbm) {
  return {stack, share * hbm.efficiency.cost(HbmConfig::kCollectiveRun).mixed(), 0, 0, share};
}

double engine_time_per_byte(const MachineConfig& machine, std::size_t cores) {
  return 1 / (bytes_per_picosecond(machine.core.dma.engine_rate) *
              static_cast<double>(machine.core.dma.engines * cores));
}

}  // namespace trn
