#include "sim/run/collective_simulation.h"

#include <algorithm>
#include <deque>

#include "base/error.h"
#include "base/text.h"
#include "models/interconnect/collectives/choose.h"
#include "models/interconnect/collectives/partners.h"
#include "sim/run/collective_labels.h"

namespace trn {
namespace {

// Reads HBM in chunks, one after the other on every site, until told to stop.
class BackgroundDma : public TrafficActor {
 public:
  BackgroundDma(Traffic& traffic, const CollectiveResources& resources, const MachineConfig& machine,
                const CollectiveOptions& options)
      : traffic_(traffic) {
    for (std::size_t site = 0; site < resources.memory.size(); ++site) {
      FlowShape shape;
      shape.weight = static_cast<double>(machine.core.dma.packet.count());
      shape.cap = options.background_rate * 1e-12 / static_cast<double>(resources.lanes);
      shape.priority = options.background_priority;
      shape.uses = resources.memory[site];
      shape.uses.insert(shape.uses.end(), resources.engines[site].begin(), resources.engines[site].end());
      classes_.push_back(traffic.flows().intern(shape));
    }
  }
  void start(Picoseconds now) {
    for (std::size_t site = 0; site < classes_.size(); ++site) flow_done(site, now);
  }
  void stop() { stopped_ = true; }
  void flow_done(std::uint64_t site, Picoseconds now) override {
    if (!stopped_) traffic_.start_flow(now, classes_[site], Bytes(kChunk), *this, site);
  }
  void timer(std::uint64_t, Picoseconds) override {}

 private:
  static constexpr std::uint64_t kChunk = 1 << 20;
  Traffic& traffic_;
  std::vector<FlowClassId> classes_;
  bool stopped_ = false;
};

void find_binding(const FlowEngine& flows, CollectiveResult& result) {
  double longest = 0;
  for (const FlowEngine::ResourceReport& r : flows.report()) {
    const double used = r.units_moved / (r.capacity * static_cast<double>(result.time.count()));
    result.binding_share = std::max(result.binding_share, used);
    if (r.bound_picoseconds <= longest) continue;
    longest = r.bound_picoseconds;
    result.binding = r.name;
  }
  if (result.binding_share < 0.5) result.binding = "latency";  // no resource is busy for half of the time
}

double hbm_bytes(const FlowEngine& flows) {
  double sum = 0;
  for (const FlowEngine::ResourceReport& r : flows.report())
    if (r.name == "HBM") sum += r.payload;
  return sum;
}

// Why one chip cannot stand for all; empty if it can.
std::string why_full(const std::vector<CollectiveJob>& jobs, const Schedule& schedule,
                     const GroupShape& shape, const Topology& topology, const Routes& routes,
                     const CollectiveOptions& options) {
  if (options.detail == CollectiveOptions::Detail::kFull) return "asked for";
  if (!topology.chips_alike()) return "the machine's chips differ";
  if (jobs.size() > 1) return "several groups";
  if (!jobs[0].delay.empty()) return "ranks start at different times";
  if (!schedule.symmetric) return "ranks do different things";
  if (!shape.regular || !jobs[0].group.covers(topology)) return "the group is not on every chip alike";
  if (!schedule.layout.even()) return "uneven blocks";
  if (!partners_alike(schedule, jobs[0].group, topology, routes)) return "partners are nearer on some chips";
  return {};
}

struct Prepared {
  GroupShape shape;
  std::string algorithm;
  std::shared_ptr<const Schedule> schedule;
};

Prepared prepare(const CollectiveJob& job, const MachineConfig& machine, const Topology& topology) {
  Prepared p;
  p.shape = job.group.shape(topology);
  CollectiveTask task = job.task;
  task.slices = machine.collectives.slices;
  task.min_slice_bytes = machine.collectives.min_slice_bytes;
  task.ring_slices = machine.collectives.ring_slices;
  task.packet_bytes = machine.collectives.packet.count();
  if (job.schedule) {
    p.algorithm = job.algorithm;
    p.schedule = std::make_shared<const Schedule>(job.schedule(task, job.group.ranks()));
    return p;
  }
  p.algorithm = job.algorithm == "auto" ? choose_algorithm(task, p.shape, machine.collectives.automatic)
                                        : job.algorithm;
  p.schedule = std::make_shared<const Schedule>(make_schedule(p.algorithm, task, p.shape));
  return p;
}

CollectiveStart start_of(const CollectiveJob& job, const MachineConfig& machine,
                         std::uint32_t ranks_per_chip) {
  CollectiveStart start;
  start.config = machine.collectives;
  start.priority = job.priority;
  start.delay = job.delay;
  const std::uint64_t cores = machine.chip.cc_cores / ranks_per_chip / machine.collectives.streams;
  start.trigger = Picoseconds(machine.collectives.trigger.count() / std::max<std::uint64_t>(1, cores));
  return start;
}

// All groups' ranks, so that those which share a chip share its memory and engines.
Group everyone(const std::vector<CollectiveJob>& jobs) {
  if (jobs.size() == 1) return jobs[0].group;
  std::vector<Seat> seats;
  for (const CollectiveJob& job : jobs)
    for (std::uint32_t r = 0; r < job.group.ranks(); ++r)
      if (std::find(seats.begin(), seats.end(), job.group.seat(r)) == seats.end())
        seats.push_back(job.group.seat(r));
  return Group::of(std::move(seats));
}

// Those of one group among everyone's.
CollectiveResources own_resources(const CollectiveResources& all, const Group& everyone, const Group& own) {
  CollectiveResources r = all;
  r.memory.clear();
  r.engines.clear();
  for (std::uint32_t rank = 0; rank < own.ranks(); ++rank) {
    std::uint32_t site = 0;
    while (!(everyone.seat(site) == own.seat(rank))) ++site;
    r.memory.push_back(all.memory[site]);
    r.engines.push_back(all.engines[site]);
  }
  return r;
}

class Simulation {
 public:
  Simulation(const std::vector<CollectiveJob>& jobs, const MachineConfig& machine,
             const CollectiveOptions& options)
      : jobs_(jobs), machine_(machine), topology_(machine.fabric), routes_(topology_) {
    for (const CollectiveJob& job : jobs) prepared_.push_back(prepare(job, machine, topology_));
    result_.algorithm = prepared_[0].algorithm;
    result_.why_full =
        why_full(jobs, *prepared_[0].schedule, prepared_[0].shape, topology_, routes_, options);
    result_.folded = result_.why_full.empty();
    using Detail = CollectiveResources::Detail;
    const Group all = everyone(jobs);
    resources_.push_back(stand_alone_resources(traffic_.flows(), all, topology_, machine,
                                               result_.folded ? Detail::kFolded : Detail::kFull));
    const CollectiveResources& shared = resources_.front();
    if (options.listener != nullptr)
      labels_ = std::make_unique<CollectiveLabels>(*options.listener, jobs, all, topology_, result_.folded,
                                                   machine, shared, traffic_.flows());
    if (options.background_rate > 0) {
      background_ = std::make_unique<BackgroundDma>(traffic_, shared, machine, options);
      background_->start(Picoseconds(0));
    }
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (jobs.size() > 1) resources_.push_back(own_resources(shared, all, jobs[i].group));
      paths_.emplace_back(jobs[i].group, topology_, routes_, resources_.back(), machine);
      CollectiveStart start = start_of(jobs[i], machine, shared.lanes);
      if (labels_ != nullptr) start.listener = labels_->moves(i);
      runs_.push_back(std::make_unique<CollectiveRun>(traffic_, paths_.back(), resources_.back(),
                                                      prepared_[i].schedule, std::move(start),
                                                      [this, i](Picoseconds now) { done(i, now); }));
    }
  }

  CollectiveResult run() {
    for (const auto& run : runs_) run->start(Picoseconds(0));
    Picoseconds now;
    while (const std::optional<Picoseconds> next = traffic_.next_event(now)) {
      now = *next;
      traffic_.advance(now);
      check_progress(now);
    }
    check_progress(now);
    TRN_CHECK(open_ == 0, "a collective did not finish");
    if (labels_ != nullptr) labels_->end();
    result_.moves = runs_[0]->moves();
    result_.bound = collective_bound(jobs_[0].task, jobs_[0].group, topology_,
                                     rank_rates(machine_, resources_.front().lanes));
    find_binding(traffic_.flows(), result_);
    result_.hbm_bytes_a_rank =
        hbm_bytes(traffic_.flows()) / static_cast<double>(resources_.front().memory.size());
    return result_;
  }

 private:
  // Background DMA would go on for ever beside a collective that got stuck.
  void check_progress(Picoseconds now) const {
    for (std::size_t i = 0; i < runs_.size(); ++i)
      if (runs_[i]->stuck())
        throw DeadlockError(prepared_[i].algorithm + ": deadlock at " + with_commas(now.count()) +
                            " ps: " + runs_[i]->describe_stuck() +
                            "; a step may wait only for steps that its rank executes or that send to it");
  }
  void done(std::size_t job, Picoseconds now) {
    if (job == 0) result_.time = now;
    if (labels_ != nullptr) labels_->done(job, prepared_[job].algorithm, now);
    if (--open_ == 0 && background_) background_->stop();
  }

  const std::vector<CollectiveJob>& jobs_;
  const MachineConfig& machine_;
  const Topology topology_;
  const Routes routes_;
  Traffic traffic_;
  std::vector<Prepared> prepared_;
  std::deque<CollectiveResources> resources_;
  std::deque<MovePaths> paths_;
  std::unique_ptr<CollectiveLabels> labels_;  // where somebody listens
  std::vector<std::unique_ptr<CollectiveRun>> runs_;
  std::unique_ptr<BackgroundDma> background_;
  std::size_t open_ = jobs_.size();
  CollectiveResult result_;
};

}  // namespace

CollectiveResult run_collectives(const std::vector<CollectiveJob>& jobs, const MachineConfig& machine,
                                 const CollectiveOptions& options) {
  TRN_CHECK(!jobs.empty(), "no collective");
  return Simulation(jobs, machine, options).run();
}

CollectiveResult run_collective(const CollectiveJob& job, const MachineConfig& machine,
                                const CollectiveOptions& options) {
  return run_collectives({job}, machine, options);
}

}  // namespace trn
