#include "models/interconnect/collectives/bounds/cuts.h"

#include "models/interconnect/topology/distances.h"

namespace trn {
namespace {

// A switch stands on the side that most of its links lead to: any choice is a valid cut, this one is tight.
void fill_rates(const Topology& topology, Cut& cut) {
  std::vector<char> side(cut.inside);
  side.resize(topology.vertices(), 0);
  for (std::uint64_t v = topology.chips(); v < topology.vertices(); ++v) {
    double with = 0, all = 0;
    for (const std::uint32_t l : topology.outgoing(v)) {
      const Link& link = topology.links()[l];
      all += topology.rate(l);
      if (link.to < topology.chips() && cut.inside[link.to] != 0) with += topology.rate(l);
    }
    side[v] = 2 * with > all ? 1 : 0;
  }
  for (std::uint32_t l = 0; l < topology.links().size(); ++l) {
    const Link& link = topology.links()[l];
    if (side[link.from] == side[link.to]) continue;
    (side[link.from] != 0 ? cut.out : cut.in) += topology.rate(l);
  }
}

template <class Inside>
void add(const Topology& topology, const std::string& name, const Inside& inside, std::vector<Cut>& cuts) {
  Cut cut{name, std::vector<char>(topology.chips(), 0)};
  std::uint64_t count = 0;
  for (std::uint64_t chip = 0; chip < topology.chips(); ++chip)
    if (inside(chip)) ++count, cut.inside[chip] = 1;
  if (count == 0 || count == topology.chips()) return;
  fill_rates(topology, cut);
  cuts.push_back(std::move(cut));
}

void add_dimension_cuts(const Topology& topology, std::vector<Cut>& cuts) {
  for (std::size_t d = 0; d < topology.dimensions().size(); ++d) {
    const Dimension& dimension = topology.dimensions()[d];
    const std::string name = "cut " + dimension.name;
    const auto at = [&](std::uint64_t chip) { return topology.coordinates(chip)[d]; };
    for (std::uint64_t c = 0; c < dimension.size; ++c) {
      add(
          topology, name, [&](std::uint64_t chip) { return at(chip) == c; }, cuts);
      const std::uint64_t half = dimension.size / 2;
      if (half > 1)
        add(
            topology, name,
            [&](std::uint64_t chip) { return (at(chip) + dimension.size - c) % dimension.size < half; },
            cuts);
    }
  }
}

}  // namespace

std::vector<Cut> test_cuts(const Topology& topology) {
  std::vector<Cut> cuts;
  for (std::uint64_t c = 0; c < topology.chips(); ++c)
    add(
        topology, "links of a chip", [c](std::uint64_t chip) { return chip == c; }, cuts);
  add_dimension_cuts(topology, cuts);
  if (!topology.dimensions().empty()) return cuts;
  for (std::uint64_t c = 0; c < topology.chips() && topology.chips() <= 256; ++c) {
    const std::vector<std::uint32_t> hops = hops_from(topology, c);
    for (std::uint32_t radius = 1; radius < 64; ++radius) {
      const std::size_t before = cuts.size();
      add(
          topology, "cut within " + std::to_string(radius) + " hops",
          [&](std::uint64_t chip) { return hops[chip] <= radius; }, cuts);
      if (cuts.size() == before) break;
    }
  }
  return cuts;
}

}  // namespace trn
