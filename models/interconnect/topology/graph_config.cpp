// The keys of a graph given link by link. All wrong links are told at once, one line each.
#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "models/interconnect/topology/fabric_parts.h"

namespace trn {
namespace {

constexpr std::uint64_t kMaxLinks = 262'144;
constexpr std::size_t kMaxComplaints = 20;

bool is_number(const std::string& text) {
  return !text.empty() && text.size() < 10 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

class Vertices {
 public:
  Vertices(ConfigNode& node, FabricConfig& f) : chips_(f.graph_chips) {
    if (!node.has("switches")) return;
    f.graph_switches = node.texts("switches");
    for (const std::string& name : f.graph_switches) {
      if (name.empty() || is_number(name))
        node.fail("switches", "\"" + name + "\" is no name for a switch: numbers are chips");
      if (!switches_.emplace(name, static_cast<std::uint32_t>(chips_ + switches_.size())).second)
        node.fail("switches", '"' + name + "\" appears twice");
    }
  }

  std::uint32_t find(ConfigNode& row, const char* key) const {
    const std::string name = row.label(key);
    if (is_number(name)) {
      const std::uint64_t chip = std::stoull(name);
      if (chip >= chips_)
        row.fail(key, "no chip " + name + "; there are chips 0 to " + std::to_string(chips_ - 1));
      return static_cast<std::uint32_t>(chip);
    }
    const auto at = switches_.find(name);
    if (at != switches_.end()) return at->second;
    std::vector<std::string> known;
    for (const auto& [known_name, vertex] : switches_) known.push_back(known_name);
    row.fail(key, "unknown switch \"" + name + '"' + suggestion(name, known));
  }

 private:
  std::uint64_t chips_;
  std::map<std::string, std::uint32_t> switches_;
};

GraphCable parse_cable(ConfigNode& row, const Vertices& vertices) {
  GraphCable cable{};
  cable.from = vertices.find(row, "from");
  cable.to = vertices.find(row, "to");
  if (cable.from == cable.to) row.fail("to", "a link from a vertex to itself");
  cable.rate = parse_rate(row, "mb_per_s");
  cable.latency = parse_latency(row, "latency_ns");
  cable.count = row.has("count") ? row.positive("count") : 1;
  if (cable.count > 1024) row.fail("count", "at most 1024 parallel cables");
  cable.both_ways = row.has("both_ways") ? row.flag("both_ways") : true;
  row.reject_unknown_keys();
  return cable;
}

}  // namespace

FabricConfig parse_graph(ConfigNode& node) {
  FabricConfig f;
  f.graph_chips = node.positive("chips");
  if (f.graph_chips > kMaxChips) node.fail("chips", "at most " + std::to_string(kMaxChips) + " chips");
  const Vertices vertices(node, f);
  std::vector<std::string> complaints;
  std::uint64_t links = 0;
  for (ConfigNode& row : node.rows("links")) {
    try {
      f.graph_cables.push_back(parse_cable(row, vertices));
      links += f.graph_cables.back().count * 2;
    } catch (const ConfigError& error) {
      complaints.emplace_back(error.what());
    }
    if (links > kMaxLinks) node.fail("links", "at most " + std::to_string(kMaxLinks) + " links");
    if (complaints.size() == kMaxComplaints) break;
  }
  if (!complaints.empty()) throw ConfigError(join(complaints, "\n"));
  return f;
}

}  // namespace trn
