#include "models/interconnect/topology/topology.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "models/interconnect/topology/distances.h"
#include "models/interconnect/topology/faults.h"
#include "models/interconnect/topology/shapes/shapes.h"

namespace trn {
namespace {

// Dimension order needs dimensions; where racks are joined by cables alone, half the bytes cross first and
// half last, which loads both racks' switches alike.
Routing default_routing(const FabricConfig& config) {
  if (config.kind == FabricKind::kTorus && !config.twist) return Routing::kDimensionOrder;
  if (config.kind == FabricKind::kSwitched && config.racks > 1) return Routing::kSplit;
  return Routing::kBalanced;
}

}  // namespace

Topology::Topology(const FabricConfig& config)
    : wiring_(wire(config)), routing_(config.routing.value_or(default_routing(config))) {
  number_ports();
  apply_faults(wiring_, config);
  // Over what is left of a machine with broken links, whatever the policy: the others would run into the gap.
  if (dimensions().empty()) {
    routing_ = Routing::kBalanced;
    ports_.clear();
  }
  outgoing_.resize(vertices());
  incoming_.resize(vertices());
  for (std::uint32_t l = 0; l < links().size(); ++l) {
    outgoing_[links()[l].from].push_back(l);
    incoming_[links()[l].to].push_back(l);
  }
  check_connected(config);
}

void Topology::number_ports() {
  if (dimensions().empty()) return;
  ports_.assign(classes().size() * chips(), kNoLink);
  for (std::uint32_t l = 0; l < links().size(); ++l) {
    const Link& link = links()[l];
    ports_[link.link_class * chips() + (link.from < chips() ? link.from : link.to)] = l;
  }
}

void Topology::check_connected(const FabricConfig& config) const {
  for (const bool forward : {true, false}) {
    const std::vector<std::uint32_t> hops = forward ? hops_from(*this, 0) : hops_to(*this, 0);
    std::vector<std::string> lost;
    for (std::uint64_t chip = 0; chip < chips(); ++chip)
      if (hops[chip] == kUnreachable) lost.push_back(std::to_string(chip));
    if (lost.empty()) continue;
    const std::size_t count = lost.size();
    if (count > 8) lost.resize(8);
    throw ConfigError(config.where + ": the machine falls apart: chip 0 " +
                      (forward ? "cannot reach chip" : "cannot be reached from chip") +
                      (count == 1 ? " " : "s ") + join(lost) +
                      (count > 8 ? " and " + std::to_string(count - 8) + " more" : ""));
  }
}

std::vector<std::uint64_t> Topology::coordinates(std::uint64_t chip) const {
  std::vector<std::uint64_t> at(dimensions().size());
  for (std::size_t d = at.size(); d-- > 0; chip /= dimensions()[d].size) at[d] = chip % dimensions()[d].size;
  return at;
}

std::uint64_t Topology::chip(const std::vector<std::uint64_t>& coordinates) const {
  std::uint64_t number = 0;
  for (std::size_t d = 0; d < dimensions().size(); ++d)
    number = number * dimensions()[d].size + coordinates[d];
  return number;
}

std::uint64_t Topology::neighbour(std::uint64_t from, std::size_t dimension, std::int64_t step) const {
  std::vector<std::uint64_t> at = coordinates(from);
  const std::int64_t size = static_cast<std::int64_t>(dimensions()[dimension].size);
  at[dimension] =
      static_cast<std::uint64_t>(((static_cast<std::int64_t>(at[dimension]) + step) % size + size) % size);
  return chip(at);
}

std::uint64_t Topology::hops(const Dimension& dimension, std::uint64_t offset) {
  if (offset == 0) return 0;
  switch (dimension.kind) {
    case DimensionKind::kRing:
      return std::min(offset, dimension.size - offset);
    case DimensionKind::kLine:
      return offset;
    case DimensionKind::kSwitch:
      return 2;
    case DimensionKind::kCable:
      break;
  }
  return 1;
}

double Topology::out_rate(std::uint64_t chip) const {
  double sum = 0;
  for (const std::uint32_t l : outgoing(chip)) sum += rate(l);
  return sum;
}

double Topology::in_rate(std::uint64_t chip) const {
  double sum = 0;
  for (const std::uint32_t l : incoming(chip)) sum += rate(l);
  return sum;
}

double Topology::chip_rate() const {
  double least = std::min(out_rate(0), in_rate(0));
  if (chips_alike()) return least;
  for (std::uint64_t chip = 1; chip < chips(); ++chip)
    least = std::min({least, out_rate(chip), in_rate(chip)});
  return least;
}

Picoseconds Topology::hop_latency() const {
  Picoseconds most;
  for (const LinkClass& c : classes()) most = std::max(most, c.latency);
  return most;
}

std::uint64_t Topology::diameter() const {
  if (diameter_) return *diameter_;
  std::uint32_t most = 0;
  for (std::uint64_t from = 0; from < (chips_alike() ? 1 : chips()); ++from) {
    const std::vector<std::uint32_t> hops = hops_from(*this, from);
    for (std::uint64_t to = 0; to < chips(); ++to) most = std::max(most, hops[to]);
  }
  diameter_ = most;
  return most;
}

}  // namespace trn
