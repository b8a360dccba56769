#include "sim/run/collective_labels.h"

#include <algorithm>

#include "base/text.h"

namespace trn {
namespace {

// A job of as many ranks and no programs.
Job job_of(const CollectiveJob& first, std::uint64_t ranks) {
  Program program;
  program.name = std::string(kCollectiveOps[static_cast<std::size_t>(first.task.op)]);
  return uniform_job(std::move(program), {{"ranks", ranks}});
}

}  // namespace

CollectiveLabels::CollectiveLabels(RunListener& listener, const std::vector<CollectiveJob>& jobs,
                                   const Group& all, const Topology& topology, bool folded,
                                   const MachineConfig& machine, const CollectiveResources& resources,
                                   FlowEngine& flows)
    : listener_(listener), job_(job_of(jobs[0], all.ranks())), jobs_(jobs), folded_(folded), all_(all) {
  listener.begin(job_, machine, folded ? Simulated::kOneRank : Simulated::kEveryRank);
  flows.listen(listener.flows());
  label_links(topology, resources, flows);
  label_sites(resources, flows);
  for (std::size_t j = 0; j < jobs.size(); ++j) {
    const CollectiveJob& job = jobs[j];
    CollectiveDecl& decl = decls_.emplace_back();
    decl.op = job.task.op;
    decl.bytes = job.task.bytes;
    decl.dtype = job.dtype;
    decl.stream = static_cast<std::uint32_t>(j);
    decl.priority = job.priority;
    std::vector<std::uint64_t>& ranks = ranks_.emplace_back();
    const auto simulated = static_cast<std::uint32_t>(folded ? resources.memory.size() : job.group.ranks());
    for (std::uint32_t r = 0; r < simulated; ++r) {
      std::uint32_t rank = 0;
      while (!(all_.seat(rank) == job.group.seat(r))) ++rank;
      ranks.push_back(rank);
    }
    moves_.push_back(listener.moves(ranks, decl));
  }
}

std::uint64_t CollectiveLabels::first_rank(std::uint32_t domain, std::uint64_t chip) const {
  for (std::uint32_t r = 0; r < all_.ranks(); ++r)
    if (all_.seat(r).domain == domain && all_.seat(r).chip == chip) return folded_ ? 0 : r;
  return 0;
}

// One of a class stands for all of them where one chip does.
void CollectiveLabels::label_links(const Topology& topology, const CollectiveResources& resources,
                                   const FlowEngine& flows) {
  const std::vector<FlowEngine::ResourceReport> rows = flows.report();
  const auto label = [&](std::uint32_t r, std::uint64_t rank, const std::string& name) {
    listener_.resource({ResourceLabel::Kind::kLink, r, rank, name, rows[r].capacity, 1});
  };
  for (std::size_t l = 0; l < resources.links.size(); ++l) {
    if (folded_) {
      label(resources.links[l], 0, rows[resources.links[l]].name);
      continue;
    }
    const Link& link = topology.links()[l % topology.links().size()];
    label(resources.links[l], first_rank(static_cast<std::uint32_t>(l / topology.links().size()), link.from),
          rows[resources.links[l]].name + ' ' + topology.vertex_name(link.from) + " to " +
              topology.vertex_name(link.to));
  }
  for (const auto* cards : {&resources.efa_out, &resources.efa_in})
    for (std::size_t c = 0; c < cards->size(); ++c)
      label((*cards)[c], first_rank(static_cast<std::uint32_t>(c / topology.chips()), c % topology.chips()),
            rows[(*cards)[c]].name);
  for (const auto* networks : {&resources.network_out, &resources.network_in})
    for (std::size_t d = 0; d < networks->size(); ++d)
      label((*networks)[d], first_rank(static_cast<std::uint32_t>(d), 0),
            "domain's " + rows[(*networks)[d]].name);
}

void CollectiveLabels::label_sites(const CollectiveResources& resources, const FlowEngine& flows) {
  const std::vector<FlowEngine::ResourceReport> rows = flows.report();
  for (std::size_t site = 0; site < resources.memory.size(); ++site) {
    const std::uint64_t rank = folded_ ? 0 : site;
    const std::string whose = folded_ ? " of rank " + std::to_string(site) : "";
    using Kind = ResourceLabel::Kind;
    for (const auto& [kind, uses] : {std::pair(Kind::kMemory, &resources.memory[site]),
                                     std::pair(Kind::kDmaEngines, &resources.engines[site])})
      for (const FlowUse& use : *uses)
        listener_.resource(
            {kind, use.resource, rank, rows[use.resource].name + whose, rows[use.resource].capacity, 1});
  }
}

void CollectiveLabels::done(std::size_t j, const std::string& algorithm, Picoseconds now) const {
  const CollectiveJob& job = jobs_[j];
  std::vector<std::string> members;
  if (!folded_)
    for (const std::uint64_t rank : ranks_[j]) members.push_back(std::to_string(rank));
  for (std::size_t r = 0; r < (folded_ ? 1 : ranks_[j].size()); ++r) {
    const Picoseconds began = job.delay.empty() ? Picoseconds(0) : job.delay[r];
    listener_.collective({ranks_[j][r], decls_[j], algorithm, job.group.ranks(), join(members, ","), began,
                          std::min(began, now), now, kNoSemaphore, 0});
  }
}

}  // namespace trn
