#include "sim/validation/collective_runs.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/text.h"

namespace trn {
namespace {

std::string key_of(const CollectiveRunText& run, std::uint64_t bytes) {
  std::string key = run.machine + ' ' + run.algorithm;
  for (const std::uint64_t n : {static_cast<std::uint64_t>(run.op), std::uint64_t{run.ranks_per_chip},
                                std::uint64_t{run.domains}, bytes})
    key += ' ' + std::to_string(n);
  for (const std::uint32_t rank : run.group) key += ',' + std::to_string(rank);
  return key;
}

Group group_of(const CollectiveRunText& run, const MachineConfig& machine) {
  Group whole =
      Group::whole(static_cast<std::uint32_t>(machine.fabric.chips()), run.ranks_per_chip, run.domains);
  if (run.group.empty()) return whole;
  std::vector<Seat> seats;
  for (const std::uint32_t rank : run.group) {
    if (rank >= whole.ranks()) throw ConfigError("--group: no rank " + std::to_string(rank));
    seats.push_back(whole.seat(rank));
  }
  return Group::of(std::move(seats));
}

}  // namespace

const MachineConfig& CollectiveRuns::machine(const std::string& name) {
  const auto at = machines_.find(name);
  if (at != machines_.end()) return at->second;
  const MachineName parsed = parse_machine_name(name);
  return machines_.emplace(name, parse_machine(load_machine_document(parsed.config), parsed.shape))
      .first->second;
}

const CollectiveResult& CollectiveRuns::get(const CollectiveRunText& run, std::uint64_t bytes) {
  auto [at, fresh] = done_.try_emplace(key_of(run, bytes));
  if (!fresh) return at->second;
  CollectiveJob job;
  job.task.op = run.op;
  job.task.bytes = bytes;
  job.group = group_of(run, machine(run.machine));
  job.algorithm = run.algorithm;
  // A send crosses to the same place in the next domain, or to the next rank.
  if (run.domains > 1) job.task.shift = job.group.ranks() / run.domains;
  at->second = run_collective(job, machine(run.machine));
  return at->second;
}

double CollectiveRuns::slope(const CollectiveRunText& run) {
  return static_cast<double>(run.to - run.from) / (us(run, run.to) - us(run, run.from));
}

double CollectiveRuns::hop_us(CollectiveRunText run) {
  const double steps = group_of(run, machine(run.machine)).ranks() - 1;
  run.op = CollectiveOp::kAllReduce;
  const double both = us(run, run.from);
  run.op = CollectiveOp::kAllGather;
  return (both - us(run, run.from)) / steps;
}

double CollectiveRuns::crossover(CollectiveRunText run, const std::string& first, const std::string& second) {
  const auto lead = [&](double bytes) {
    const auto size = static_cast<std::uint64_t>(bytes);
    run.algorithm = first;
    const double one = us(run, size);
    run.algorithm = second;
    return one - us(run, size);
  };
  constexpr double kMost = 1 << 30;
  double below = 1 << 16, above = below;
  while (above < kMost && lead(above) < 0) below = above, above *= 2;
  while (above / below > 1.02) {
    const double middle = std::sqrt(below * above);
    (lead(middle) < 0 ? below : above) = middle;
  }
  return above;
}

double CollectiveRuns::predict(ConfigNode& entry, const std::vector<MeasuredRow>& rows,
                               MeasuredRow& measured) {
  const std::string metric = entry.text("metric");
  const CollectiveRunText run = parse_collective_run(entry.text("run"), entry.path());
  if (metric == "time_us") return us(run, run.to);
  if (metric == "hop_us") return hop_us(run);
  // Without what starts a collective, which a plain write over the network does not have.
  if (metric == "transfer_us") return us(run, run.to) - to_us(machine(run.machine).collectives.start_latency);
  if (metric == "slope_gbit_per_s") return slope(run) * 8e-3;
  if (metric == "slope_gb_per_s") {
    const std::string from = entry.text("from");
    const auto base = std::find_if(rows.begin(), rows.end(), [&](const auto& r) { return r.id == from; });
    if (base == rows.end()) throw ConfigError(entry.path() + ".from: no row " + from);
    measured.value = static_cast<double>(run.to - run.from) / (measured.value - base->value) * 1e-3;
    measured.unit = "GB/s";
    return slope(run) * 1e-3;
  }
  if (metric == "crossover_mb") {
    const std::vector<std::string> two = entry.texts("algorithms");
    if (two.size() != 2) throw ConfigError(entry.path() + ".algorithms: expected two");
    return crossover(run, two[0], two[1]) * 1e-6;
  }
  // Bytes of HBM that two ranks read and write, a byte of the buffer.
  if (metric == "touches") return 2 * get(run, run.to).hbm_bytes_a_rank / static_cast<double>(run.to);
  throw ConfigError(entry.path() + ": unknown metric \"" + metric + '"' +
                    suggestion(metric, {"time_us", "hop_us", "transfer_us", "slope_gb_per_s",
                                        "slope_gbit_per_s", "crossover_mb", "touches"}));
}

}  // namespace trn
