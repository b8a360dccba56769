// The keys of a torus: sizes and rates by dimension, which of them are rings, and a twist.
#include <algorithm>

#include "models/interconnect/topology/fabric_parts.h"

namespace trn {
namespace {

std::size_t axis(ConfigNode& node, const char* key, std::size_t dims) {
  const std::string name = node.text(key);
  const std::string axes = std::string("xyz").substr(0, dims);
  const std::size_t at = name.size() == 1 ? axes.find(name) : std::string::npos;
  if (at == std::string::npos) node.fail(key, "expected one letter of " + axes + ", found \"" + name + '"');
  return at;
}

Twist parse_twist(ConfigNode node, const FabricConfig& f) {
  Twist twist{};
  twist.along = axis(node, "along", f.dims.size());
  twist.shifts = axis(node, "shifts", f.dims.size());
  twist.by = node.positive("by");
  if (twist.along == twist.shifts) node.fail("shifts", "a dimension cannot shift itself");
  if (f.dims[twist.along] < 2) node.fail("along", "this dimension has one chip: no way round it");
  if (twist.by >= f.dims[twist.shifts])
    node.fail("by", "expected less than the size of the shifted dimension, " +
                        std::to_string(f.dims[twist.shifts]));
  for (const std::size_t d : {twist.along, twist.shifts})
    if (!f.closed.empty() && !f.closed[d])
      node.fail(d == twist.along ? "along" : "shifts", "this dimension is not closed");
  node.reject_unknown_keys();
  return twist;
}

}  // namespace

FabricConfig parse_torus(ConfigNode& node) {
  FabricConfig f;
  f.dims = node.positives("dims");
  for (const std::uint64_t r : node.positives("link_mb_per_s")) f.link_rates.emplace_back(r);
  if (f.dims.size() > 3) node.fail("dims", "at most three dimensions");
  if (f.dims.size() != f.link_rates.size()) node.fail("link_mb_per_s", "expected one rate per dimension");
  f.hop_latency = parse_latency(node, "hop_latency_ns");
  if (node.has("closed")) {
    f.closed = node.flags("closed");
    if (f.closed.size() != f.dims.size()) node.fail("closed", "expected one true or false per dimension");
  }
  if (node.has("twist")) f.twist = parse_twist(node.child("twist"), f);
  return f;
}

}  // namespace trn
