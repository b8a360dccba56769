#include "models/interconnect/topology/faults.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/error.h"
#include "base/text.h"

namespace trn {
namespace {

std::optional<std::uint32_t> find_vertex(const Wiring& wiring, const std::string& name) {
  for (std::uint32_t v = 0; v < wiring.names.size(); ++v)
    if (wiring.names[v] == name || (v < wiring.chips && std::to_string(v) == name)) return v;
  return std::nullopt;
}

struct Ends {
  std::uint32_t from, to;
  bool both_ways;
};

// A name may hold a dash itself, so every one is tried.
Ends parse_ends(const Wiring& wiring, const std::string& text, const std::string& where) {
  for (std::size_t at = 1; at + 1 < text.size(); ++at) {
    if (text[at] != '-' && text[at] != '>') continue;
    const auto from = find_vertex(wiring, text.substr(0, at));
    const auto to = find_vertex(wiring, text.substr(at + 1));
    if (from && to) return {*from, *to, text[at] == '-'};
  }
  std::vector<std::string> switches(wiring.names.begin() + static_cast<std::ptrdiff_t>(wiring.chips),
                                    wiring.names.end());
  if (switches.size() > 4) {
    switches.resize(4);
    switches.emplace_back("...");
  }
  throw ConfigError(where + ": no link \"" + text + "\"; expected A-B or A>B of chips 0 to " +
                    std::to_string(wiring.chips - 1) + (switches.empty() ? "" : " and " + join(switches)));
}

}  // namespace

void apply_faults(Wiring& wiring, const FabricConfig& config) {
  if (config.faults.empty()) return;
  wiring.chips_alike = false;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::uint32_t> slow_classes;
  std::vector<bool> broken(wiring.links.size());
  for (std::size_t f = 0; f < config.faults.size(); ++f) {
    const LinkFault& fault = config.faults[f];
    const std::string where = config.where + ".faults[" + std::to_string(f) + "].link";
    const Ends ends = parse_ends(wiring, fault.link, where);
    bool found = false;
    for (std::size_t l = 0; l < wiring.links.size(); ++l) {
      Link& link = wiring.links[l];
      const bool forward = link.from == ends.from && link.to == ends.to;
      const bool backward = link.from == ends.to && link.to == ends.from;
      if (!forward && !(ends.both_ways && backward)) continue;
      found = true;
      broken[l] = broken[l] || fault.percent == 0;
      if (fault.percent == 0) continue;
      const auto [at, fresh] = slow_classes.try_emplace({link.link_class, fault.percent});
      if (fresh) {
        const LinkClass whole = wiring.classes[link.link_class];
        at->second = wiring.add_class(whole.name + " at " + std::to_string(fault.percent) + " %",
                                      whole.rate * static_cast<double>(fault.percent) / 100, whole.latency);
      }
      --wiring.classes[link.link_class].links;
      link.link_class = at->second;
      ++wiring.classes[link.link_class].links;
    }
    if (!found)
      throw ConfigError(where + ": " + wiring.names[ends.from] + " and " + wiring.names[ends.to] +
                        " have no link");
  }
  if (std::none_of(broken.begin(), broken.end(), [](bool b) { return b; })) return;
  wiring.dimensions.clear();
  std::vector<Link> left;
  for (std::size_t l = 0; l < wiring.links.size(); ++l) {
    if (broken[l])
      --wiring.classes[wiring.links[l].link_class].links;
    else
      left.push_back(wiring.links[l]);
  }
  wiring.links = std::move(left);
}

}  // namespace trn
