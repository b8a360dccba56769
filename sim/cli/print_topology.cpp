#include "sim/cli/print_topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "models/interconnect/topology/cuts.h"
#include "models/interconnect/topology/distances.h"

namespace trn {
namespace {

const char* name_of(DimensionKind kind) {
  switch (kind) {
    case DimensionKind::kRing:
      return "ring";
    case DimensionKind::kLine:
      return "line";
    case DimensionKind::kSwitch:
      return "switch";
    case DimensionKind::kCable:
      break;
  }
  return "cable";
}

double gb(double bytes_per_picosecond) { return bytes_per_picosecond * 1e3; }

struct Rates {
  double least, most;  // over the chips, out and in
};

Rates chip_rates(const Topology& t) {
  Rates rates{t.chip_rate(), 0};
  for (std::uint64_t chip = 0; chip < t.chips(); ++chip)
    rates.most = std::max({rates.most, t.out_rate(chip), t.in_rate(chip)});
  return rates;
}

// Over all ordered pairs of different chips.
double mean_hops(const Topology& t) {
  if (t.chips() == 1) return 0;
  double sum = 0;
  const std::uint64_t froms = t.chips_alike() ? 1 : t.chips();
  for (std::uint64_t from = 0; from < froms; ++from) {
    const std::vector<std::uint32_t> hops = hops_from(t, from);
    for (std::uint64_t to = 0; to < t.chips(); ++to) sum += hops[to];
  }
  return sum / static_cast<double>(froms * (t.chips() - 1));
}

std::string range(double least, double most) {
  return most - least < 1e-9 * most ? fmt::format("{:.6g}", most)
                                    : fmt::format("{:.6g} to {:.6g}", least, most);
}

}  // namespace

std::string topology_text(const Topology& t, const std::string& title) {
  const Rates rates = chip_rates(t);
  std::string out = fmt::format("{}: {} chips, {} switches, {} links (each one direction)\n", title,
                                t.chips(), t.vertices() - t.chips(), t.links().size());
  out += fmt::format("  a chip's links   {} GB/s a direction, {} GB/s as both directions are added up\n",
                     range(gb(rates.least), gb(rates.most)), range(2 * gb(rates.least), 2 * gb(rates.most)));
  for (const LinkClass& c : t.classes())
    if (c.links > 0)
      out += fmt::format("  link {:<22} {:>6} x {:>8.6g} GB/s, {:g} ns\n", c.name, c.links, gb(c.rate),
                         static_cast<double>(c.latency.count()) / 1000);
  for (const Dimension& d : t.dimensions())
    out += fmt::format("  dimension {:<8} {:<6} of {:>4}, {:.6g} GB/s a chip\n", d.name, name_of(d.kind),
                       d.size, gb(d.rate));
  for (const Half& half : halves(t))
    out += fmt::format("  half cut {:<18} {:.6g} GB/s a direction\n", half.name, gb(half.rate));
  out += fmt::format("  hops             diameter {}, mean {:.4g}\n", t.diameter(), mean_hops(t));
  out += fmt::format("  routing          {}\n", kRoutings[static_cast<std::size_t>(t.routing())]);
  return out + fmt::format("  chips            {}\n",
                           t.chips_alike() ? "alike: one can stand for all" : "differ: each is simulated");
}

std::string topology_json(const Topology& t, const std::string& title) {
  const Rates rates = chip_rates(t);
  nlohmann::ordered_json j;
  j["machine"] = title;
  j["chips"] = t.chips();
  j["switches"] = t.vertices() - t.chips();
  j["links"] = t.links().size();
  j["chip_gb_per_s"] = {{"least", gb(rates.least)}, {"most", gb(rates.most)}};
  j["link_classes"] = nlohmann::ordered_json::array();
  for (const LinkClass& c : t.classes())
    j["link_classes"].push_back({{"name", c.name},
                                 {"links", c.links},
                                 {"gb_per_s", gb(c.rate)},
                                 {"latency_ns", static_cast<double>(c.latency.count()) / 1000}});
  j["dimensions"] = nlohmann::ordered_json::array();
  for (const Dimension& d : t.dimensions())
    j["dimensions"].push_back(
        {{"name", d.name}, {"kind", name_of(d.kind)}, {"size", d.size}, {"chip_gb_per_s", gb(d.rate)}});
  j["half_cuts"] = nlohmann::ordered_json::array();
  for (const Half& half : halves(t))
    j["half_cuts"].push_back({{"name", half.name}, {"gb_per_s", gb(half.rate)}});
  j["diameter"] = t.diameter();
  j["mean_hops"] = mean_hops(t);
  j["routing"] = kRoutings[static_cast<std::size_t>(t.routing())];
  j["chips_alike"] = t.chips_alike();
  return j.dump(2) + '\n';
}

}  // namespace trn
