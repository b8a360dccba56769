#include "models/interconnect/collectives/collective_config.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "models/interconnect/collectives/algorithms/algorithm.h"

namespace trn {
namespace {

Picoseconds ns(ConfigNode& node, const std::string& key) {
  return Picoseconds(static_cast<std::uint64_t>(std::llround(node.number(key) * 1000)));
}

AlgorithmTable parse_table(ConfigNode node) {
  AlgorithmTable table;
  table.limits = node.positives("limits_bytes");
  if (!std::is_sorted(table.limits.begin(), table.limits.end()))
    node.fail("limits_bytes", "expected rising sizes");
  const std::vector<std::string> known = staged_algorithm_names();
  const auto names = [&](const std::string& key) {
    std::vector<std::string> list = node.texts(key);
    if (list.size() != table.limits.size() + 1)
      node.fail(key, "expected one name more than limits_bytes has sizes: " +
                         std::to_string(table.limits.size() + 1));
    return list;
  };
  table.inside = names("inside");
  table.rooted = names("rooted");
  table.between = names("between_domains");
  node.reject_unknown_keys();
  return table;
}

}  // namespace

const std::string& AlgorithmTable::pick(const std::vector<std::string>& names, std::uint64_t bytes) const {
  const auto limit = std::lower_bound(limits.begin(), limits.end(), bytes);
  return names[static_cast<std::size_t>(limit - limits.begin())];
}

CollectiveConfig CollectiveConfig::parse(ConfigNode node, const std::string& shape) {
  CollectiveConfig config{};
  config.step_latency = ns(node, "step_latency_ns");
  config.start_latency = ns(node, "start_latency_ns");
  config.trigger = ns(node, "trigger_ns");
  config.packet = Bytes(node.positive("packet_bytes"));
  config.data_packet = Bytes(node.positive("data_packet_bytes"));
  config.streams = node.positive("streams");
  config.ring_slices = node.positive("ring_slices");
  config.slices = node.positive("slices");
  config.min_slice_bytes = node.positive("min_slice_bytes");
  for (const char* key : {"ring_slices", "slices"})
    if (std::max(config.ring_slices, config.slices) > 1024) node.fail(key, "at most 1024");
  ConfigNode automatic = node.child("auto");
  for (const std::string& key : automatic.keys()) {
    AlgorithmTable table = parse_table(automatic.child(key));  // every one is checked
    if (key == shape || (key == "default" && config.automatic.inside.empty()))
      config.automatic = std::move(table);
  }
  if (config.automatic.inside.empty()) node.fail("auto", "neither " + shape + " nor default");
  automatic.reject_unknown_keys();
  node.reject_unknown_keys();
  return config;
}

}  // namespace trn
