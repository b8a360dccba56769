#include "sim/study/collective_question.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "base/error.h"
#include "base/sizes.h"
#include "base/text.h"
#include "models/interconnect/collectives/choose.h"
#include "models/interconnect/collectives/msccl/msccl_reader.h"
#include "models/interconnect/collectives/msccl/msccl_schedule.h"

namespace trn {
namespace {

// "0-7,12,16-31:4": ranks, ranges, and ranges by steps.
std::vector<std::uint32_t> parse_ranks(const std::string& text, std::uint32_t ranks) {
  std::vector<std::uint32_t> out;
  for (const std::string& item : split(text, ',')) {
    const std::vector<std::string> by = split(item, ':');
    const std::vector<std::string> ends = split(by[0], '-');
    const std::uint64_t step = by.size() > 1 ? parse_count("--group", by[1], 1, ranks) : 1;
    if (by.size() > 2 || ends.size() > 2)
      throw UsageError("--group " + text + ": expected ranks such as 0-7,12,16-31:4");
    const std::uint64_t from = parse_count("--group", ends[0], 0, ranks - 1);
    const std::uint64_t to = parse_count("--group", ends.back(), from, ranks - 1);
    for (std::uint64_t r = from; r <= to; r += step) out.push_back(static_cast<std::uint32_t>(r));
  }
  std::vector<std::uint32_t> sorted = out;
  std::sort(sorted.begin(), sorted.end());
  if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
    throw UsageError("--group " + text + ": a rank is named twice");
  return out;
}

Group parse_group(const std::string& text, const Group& whole) {
  std::vector<Seat> seats;
  for (const std::uint32_t rank : parse_ranks(text, whole.ranks())) seats.push_back(whole.seat(rank));
  if (seats.size() < 2) throw UsageError("--group " + text + ": a collective needs two ranks or more");
  return Group::of(std::move(seats));
}

// "3=12.5": rank 3 starts 12.5 us late.
void add_delay(const std::string& text, CollectiveJob& job) {
  const std::vector<std::string> parts = split(text, '=');
  if (parts.size() != 2) throw UsageError("--delay " + text + ": expected RANK=MICROSECONDS");
  const std::uint64_t rank = parse_count("--delay", parts[0], 0, job.group.ranks() - 1);
  job.delay.resize(job.group.ranks());
  job.delay[rank] = Picoseconds(static_cast<std::uint64_t>(parse_number("--delay", parts[1], 0, 1e9) * 1e6));
}

// "0-3,1-2": rank 0 sends to 3, rank 1 to 2.
void read_pairs(const std::string& text, CollectiveTask& task, std::uint32_t ranks) {
  if (text.empty()) return;
  if (task.op != CollectiveOp::kPermute) throw UsageError("--pairs is for permute");
  std::vector<char> sends(ranks, 0), gets(ranks, 0);
  for (const std::string& item : split(text, ',')) {
    const std::vector<std::string> ends = split(item, '-');
    if (ends.size() != 2) throw UsageError("--pairs " + item + ": expected FROM-TO");
    const auto from = static_cast<std::uint32_t>(parse_count("--pairs", ends[0], 0, ranks - 1));
    const auto to = static_cast<std::uint32_t>(parse_count("--pairs", ends[1], 0, ranks - 1));
    if (from == to || sends[from]++ != 0 || gets[to]++ != 0)
      throw UsageError("--pairs " + item + ": every rank sends to one other at most, and gets from one");
    task.pairs.emplace_back(from, to);
  }
}

// "all_gather:64MiB": on all ranks, at the same time.
CollectiveJob parse_beside(const std::string& text, const Group& whole, const CollectiveTask& like) {
  const std::vector<std::string> parts = split(text, ':');
  if (parts.size() != 2) throw UsageError("--beside " + text + ": expected OPERATION:SIZE");
  CollectiveJob job;
  job.task = like;
  job.task.sizes.clear();
  job.task.op = parse_collective_op(parts[0]);
  job.task.bytes = parse_size(parts[1]);
  job.group = whole;
  return job;
}

// "msccl:ring.xml"
void read_msccl_file(const CollectiveQuestion& a, CollectiveSetting& s) {
  const std::string kind = split(a.algorithm, ':')[0];
  if (kind != "msccl") return;
  const std::string path = a.algorithm.substr(std::min(a.algorithm.size(), kind.size() + 1));
  if (path.empty()) throw UsageError("--algorithm " + a.algorithm + ": expected msccl:FILE.xml");
  const auto program = std::make_shared<const MscclProgram>(read_msccl(read_text_file(path), path));
  s.job.schedule = [program](const CollectiveTask& task, std::uint32_t ranks) {
    return msccl_schedule(*program, task, ranks);
  };
  s.algorithm = kind + ':' + path.substr(path.find_last_of('/') + 1);
}

void check_counts(const CollectiveQuestion& a, const MachineConfig& machine) {
  if (a.ranks_per_chip == 0 || a.ranks_per_chip > machine.chip.neuron_cores)
    throw UsageError("--ranks-per-chip: expected 1 to " + std::to_string(machine.chip.neuron_cores) + " on " +
                     machine.name);
  const std::uint64_t ranks = machine.fabric.chips() * a.ranks_per_chip * a.domains;
  if (ranks == 1)
    throw UsageError("--machine " + a.machine.machine +
                     ": a collective needs two ranks or more; name a shape such as " + machine.name +
                     ":instance or raise --ranks-per-chip");
  constexpr std::uint64_t kMaxRanks = 1 << 24;
  if (a.domains == 0 || ranks > kMaxRanks)
    throw UsageError("--domains: " + std::to_string(ranks) + " ranks in all; expected at most " +
                     std::to_string(kMaxRanks));
}

void read_block_sizes(const CollectiveQuestion& a, CollectiveSetting& s) {
  if (a.block_sizes.empty()) return;
  const std::uint64_t ranks = s.job.group.ranks();
  for (const std::string& item : split(a.block_sizes, ','))
    s.job.task.sizes.push_back(item == "0" ? 0 : parse_size(item));
  const bool matrix = s.job.task.op == CollectiveOp::kAllToAll;
  const std::uint64_t wanted = matrix ? ranks * ranks : ranks;
  const bool possible = matrix || s.job.task.op == CollectiveOp::kAllGather ||
                        s.job.task.op == CollectiveOp::kReduceScatter ||
                        s.job.task.op == CollectiveOp::kGather || s.job.task.op == CollectiveOp::kScatter;
  if (!possible) throw UsageError("--block-sizes: " + a.op + " has no blocks of its ranks");
  if (s.job.task.sizes.size() != wanted)
    throw UsageError("--block-sizes: " + std::to_string(s.job.task.sizes.size()) + " sizes; " + a.op +
                     " of " + std::to_string(ranks) + " ranks has " + std::to_string(wanted) + " blocks");
  std::uint64_t sum = 0;
  for (const std::uint64_t size : s.job.task.sizes) sum += size;
  s.sizes = {std::max<std::uint64_t>(1, matrix ? sum / ranks : sum)};
}

}  // namespace

CollectiveOp parse_collective_op(const std::string& name) {
  const auto it = std::find(kCollectiveOps.begin(), kCollectiveOps.end(), name);
  if (it != kCollectiveOps.end()) return static_cast<CollectiveOp>(it - kCollectiveOps.begin());
  throw UsageError("collective \"" + name + "\": unknown" +
                   suggestion(name, {kCollectiveOps.begin(), kCollectiveOps.end()}));
}

CollectiveSetting collective_setting(const CollectiveQuestion& a, const MachineConfig& machine) {
  CollectiveSetting s;
  s.job.task.op = parse_collective_op(a.op);
  s.machine = machine;
  const auto dtype = find_dtype(a.dtype);
  if (!dtype)
    throw UsageError("--dtype: unknown dtype \"" + a.dtype + '"' + suggestion(a.dtype, dtype_names()));
  s.dtype = *dtype;
  s.job.dtype = *dtype;
  check_counts(a, s.machine);
  const Group whole =
      Group::whole(static_cast<std::uint32_t>(s.machine.fabric.chips()), a.ranks_per_chip, a.domains);
  s.job.group = a.groups.empty() ? whole : parse_group(a.groups[0], whole);
  const std::uint32_t ranks = s.job.group.ranks();
  if (a.root >= ranks) throw UsageError("--root: expected 0 to " + std::to_string(ranks - 1));
  if (a.priority >= s.machine.core.dma.priority_classes)
    throw UsageError("--priority: classes of " + s.machine.name + " are 0 to " +
                     std::to_string(s.machine.core.dma.priority_classes - 1));
  s.job.task.root = a.root;
  s.job.task.shift = a.shift;
  read_pairs(a.pairs, s.job.task, ranks);
  const bool shifts = s.job.task.op == CollectiveOp::kPermute || s.job.task.op == CollectiveOp::kSendReceive;
  if (shifts && a.shift % static_cast<std::int64_t>(ranks) == 0)
    throw UsageError("--shift: " + std::to_string(a.shift) + " sends every rank's data to itself");
  s.job.task.granule = size_of(*dtype);
  s.job.priority = a.priority;
  s.algorithm = a.algorithm;
  read_msccl_file(a, s);
  for (const std::string& delay : a.delays) add_delay(delay, s.job);
  for (std::size_t g = 1; g < a.groups.size(); ++g) {
    CollectiveJob other = s.job;
    other.delay.clear();
    other.group = parse_group(a.groups[g], whole);
    if (a.root >= other.group.ranks()) throw UsageError("--root: not in --group " + a.groups[g]);
    s.groups.push_back(std::move(other));
  }
  for (const std::string& beside : a.beside) {
    s.beside.push_back(parse_beside(beside, whole, s.job.task));
    s.beside.back().dtype = *dtype;
  }
  s.options.detail = a.detail == "full" ? CollectiveOptions::Detail::kFull : CollectiveOptions::Detail::kAuto;
  s.options.background_rate = a.background_gb_per_s * 1e9;
  s.options.background_priority = a.background_priority;
  s.sizes = s.job.task.op == CollectiveOp::kBarrier ? std::vector<std::uint64_t>{kBarrierBytes}
                                                    : parse_sizes(a.sizes);
  read_block_sizes(a, s);
  s.who = std::to_string(ranks) + " ranks" +
          (a.groups.empty() ? ", " + std::to_string(a.ranks_per_chip) + " a chip" : "") +
          (a.domains > 1 ? ", " + std::to_string(a.domains) + " domains" : "") +
          (s.groups.empty() && s.beside.empty()
               ? ""
               : ", beside " + std::to_string(s.groups.size() + s.beside.size()) + " more");
  return s;
}

void CollectiveSetting::set_size(std::uint64_t size) {
  job.task.bytes = size;
  for (CollectiveJob& other : groups) other.task.bytes = size;
}

void CollectiveSetting::check_algorithm() const {
  if (algorithm == "auto" || algorithm == "all" || job.schedule) return;
  const std::string why = algorithm_refusal(algorithm, job.task, job.group.shape(Topology(machine.fabric)));
  if (!why.empty()) throw UsageError("--algorithm: " + why);
}

std::vector<std::string> CollectiveSetting::algorithms() const {
  if (algorithm != "all") return {algorithm};
  const GroupShape shape = job.group.shape(Topology(machine.fabric));
  std::vector<std::string> names;
  for (const std::string& name : algorithm_names(job.task, shape))
    if (algorithm_refusal(name, job.task, shape).empty()) names.push_back(name);
  return names;
}

std::vector<CollectiveJob> CollectiveSetting::all() const {
  std::vector<CollectiveJob> jobs{job};
  for (CollectiveJob other : groups) {
    other.algorithm = job.algorithm;
    jobs.push_back(std::move(other));
  }
  jobs.insert(jobs.end(), beside.begin(), beside.end());
  return jobs;
}

Picoseconds straggler_time(const CollectiveQuestion& question, std::uint32_t ranks) {
  double harmonic = 0;
  for (std::uint32_t i = 1; i <= ranks; ++i) harmonic += 1.0 / i;
  return Picoseconds(static_cast<std::uint64_t>(question.straggler_us * 1e6 * harmonic));
}

}  // namespace trn
