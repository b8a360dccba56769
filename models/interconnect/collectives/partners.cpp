#include "models/interconnect/collectives/partners.h"

#include <cmath>
#include <map>
#include <set>

#include "base/flow/mix.h"

namespace trn {
namespace {

// Numbers the ways between two chips; alike ones have one number.
class Ways {
 public:
  Ways(const Topology& topology, const Routes& routes) : topology_(topology), routes_(routes) {}

  std::uint64_t number(std::uint32_t from, std::uint32_t to) {
    const auto [at, fresh] = known_.try_emplace({from, to});
    if (!fresh) return at->second;
    const Route& route = routes_.between(from, to);
    std::map<std::uint32_t, double> shares;
    for (const LinkLoad& load : route.loads) shares[topology_.links()[load.link].link_class] += load.share;
    Way way{route.latency.count(), {}};
    for (const auto& [link_class, share] : shares)
      way.second.emplace_back(link_class, std::llround(share * 1e6));
    return at->second = ways_.emplace(std::move(way), ways_.size()).first->second;
  }

 private:
  using Way = std::pair<std::uint64_t, std::vector<std::pair<std::uint32_t, std::int64_t>>>;
  const Topology& topology_;
  const Routes& routes_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> known_;
  std::map<Way, std::uint64_t> ways_;
};

// Teams in which every rank deals with one of every chip: alike wherever chips are, and not looked at.
std::vector<bool> teams_of_all(const Schedule& schedule, std::uint64_t chips) {
  std::vector<std::set<std::int64_t>> offsets(schedule.teams.size());
  for (const Step& step : schedule.steps)
    for (const Piece& piece : step.destinations)
      if (piece.at.kind == Place::Kind::kTeammate) offsets[piece.at.teams].insert(piece.at.offset);
  std::vector<bool> all;
  for (std::size_t t = 0; t < schedule.teams.size(); ++t) {
    const std::uint32_t size = schedule.teams[t].size();
    all.push_back(size >= chips && offsets[t].size() + 1 >= size);
  }
  return all;
}

}  // namespace

bool partners_alike(const Schedule& schedule, const Group& group, const Topology& topology,
                    const Routes& routes) {
  const std::vector<bool> everyone = teams_of_all(schedule, topology.chips());
  std::set<std::uint32_t> seen;  // patterns
  std::set<Place> places;
  for (const Step& step : schedule.steps) {
    if (!seen.insert(step.pattern).second) continue;
    for (const std::vector<Piece>* pieces : {&step.sources, &step.destinations})
      for (const Piece& piece : *pieces)
        if (piece.at.kind == Place::Kind::kTeammate && !everyone[piece.at.teams]) places.insert(piece.at);
  }
  Ways ways(topology, routes);
  std::vector<std::uint64_t> sums(topology.chips());  // of domain 0
  for (std::uint32_t rank = 0; rank < group.ranks(); ++rank) {
    const Seat here = group.seat(rank);
    if (here.domain != 0) continue;
    for (const Place& place : places) {
      const Seat there = group.seat(schedule.resolve(place, rank));
      if (there.domain == here.domain) sums[here.chip] += mix(ways.number(here.chip, there.chip));
    }
  }
  for (const std::uint64_t sum : sums)
    if (sum != sums[0]) return false;
  return true;
}

}  // namespace trn
