#include "sim/validation/worked_bounds.h"

#include "sim/run/collective_simulation.h"

namespace trn {
namespace {

MachineConfig load(const WorkedBound& row) {
  const MachineName name = parse_machine_name(row.machine);
  ConfigDocument document = load_machine_document(name.config);
  if (!row.links.empty()) document.set("shapes." + name.shape + ".links=" + row.links);
  return parse_machine(document, name.shape);
}

void fill(WorkedBound& row) {
  const MachineConfig machine = load(row);
  const Topology topology(machine.fabric);
  CollectiveJob job;
  job.task.op = row.op;
  job.group = Group::whole(static_cast<std::uint32_t>(machine.fabric.chips()), 1);
  for (std::size_t i = 0; i < kWorkedSizes.size(); ++i) {
    job.task.bytes = kWorkedSizes[i];
    // Memory and DMA of no limit: the links are what the words are about.
    const CollectiveBound bound = collective_bound(job.task, job.group, topology, RankRates());
    const CollectiveResult result = run_collective(job, machine);
    row.bound_us[i] = bound.picoseconds * 1e-6;
    row.limited_by = bound.limited_by;
    row.time_us[i] = to_us(result.time);
    row.algorithm = result.algorithm;
  }
}

}  // namespace

std::vector<WorkedBound> worked_bounds() {
  using Op = CollectiveOp;
  std::vector<WorkedBound> rows;
  const auto add = [&](const char* machine, const char* links, Op op, const std::string& words) {
    WorkedBound row;
    row.machine = machine;
    row.links = links;
    row.op = op;
    row.words = words;
    fill(row);
    rows.push_back(std::move(row));
  };
  add("trn2:instance", "", Op::kAllReduce, "2 x 15/16 S over a chip's 512 GB/s");
  add("trn2:instance", "", Op::kAllGather, "15/16 S over 512");
  add("trn2:instance", "", Op::kAllToAll, "half a ring: 4 S / 8 over a link's 128");
  add("trn2:ultraserver", "", Op::kAllReduce, "2 x 63/64 S over a chip's 640 GB/s");
  add("trn2:ultraserver", "", Op::kAllGather, "63/64 S over 640");
  add("trn2:ultraserver", "", Op::kReduceScatter, "63/64 S over 640");
  add("trn2:ultraserver", "", Op::kAllToAll, "half a Z ring: 4 S / 8 over a link's 64");
  add("trn2:ultraserver", "", Op::kBroadcast, "S over the root's 640");
  struct Preset {
    const char *links, *rate;
  };
  for (const Preset& p :
       {Preset{"official_links", "704"}, Preset{"press_active", "1,152"}, Preset{"headline", "1,280"}}) {
    const std::string over = std::string(" over a chip's ") + p.rate + " GB/s";
    add("trn3:gen1", p.links, Op::kAllReduce, "2 x 63/64 S" + over);
    add("trn3:gen1", p.links, Op::kAllToAll, "S / 2 over the 128 to the other rack");
    add("trn3:gen2", p.links, Op::kAllReduce, "2 x 143/144 S" + over);
    add("trn3:gen2", p.links, Op::kAllGather, "143/144 S" + over);
    add("trn3:gen2", p.links, Op::kAllToAll, "S / 2 over the 128 to the other rack");
  }
  return rows;
}

}  // namespace trn
