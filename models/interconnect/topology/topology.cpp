#include "models/interconnect/topology/topology.h"

#include <algorithm>

namespace trn {

Topology::Topology(const FabricConfig& config)
    : efficiency_percent_(config.protocol_efficiency_percent), hop_latency_(config.hop_latency) {
  static const char* const kAxes[] = {"x", "y", "z"};
  if (config.kind == FabricKind::kTorus) {
    for (std::size_t d = 0; d < config.dims.size(); ++d)
      add(kAxes[d], DimensionKind::kRing, config.dims[d], config.link_rates[d]);
  } else if (config.kind == FabricKind::kSwitched) {
    add("cross", DimensionKind::kCable, config.racks, config.cross_rack_rate);
    add("rack", DimensionKind::kSwitch, config.trays_per_rack, config.rack_rate);
    add("tray", DimensionKind::kSwitch, config.chips_per_tray, config.tray_rate);
  }
}

void Topology::add(const std::string& name, DimensionKind kind, std::uint64_t size, MegabytesPerSecond rate) {
  if (size == 1) return;
  const double effective = bytes_per_picosecond(rate) * static_cast<double>(efficiency_percent_) / 100;
  dimensions_.push_back({name, kind, size, static_cast<std::uint32_t>(classes_.size())});
  chips_ *= size;
  switch (kind) {
    case DimensionKind::kRing:
      classes_.push_back({'+' + name, effective});
      classes_.push_back({'-' + name, effective});
      break;
    case DimensionKind::kSwitch:
      classes_.push_back({name + " up", effective});
      classes_.push_back({name + " down", effective});
      break;
    case DimensionKind::kCable:
      classes_.push_back({name + " cable", effective});
      break;
  }
}

std::vector<std::uint64_t> Topology::coordinates(std::uint64_t chip) const {
  std::vector<std::uint64_t> at(dimensions_.size());
  for (std::size_t d = dimensions_.size(); d-- > 0; chip /= dimensions_[d].size)
    at[d] = chip % dimensions_[d].size;
  return at;
}

std::uint64_t Topology::chip(const std::vector<std::uint64_t>& coordinates) const {
  std::uint64_t number = 0;
  for (std::size_t d = 0; d < dimensions_.size(); ++d) number = number * dimensions_[d].size + coordinates[d];
  return number;
}

std::uint64_t Topology::neighbour(std::uint64_t from, std::size_t dimension, std::int64_t step) const {
  std::vector<std::uint64_t> at = coordinates(from);
  const std::int64_t size = static_cast<std::int64_t>(dimensions_[dimension].size);
  at[dimension] =
      static_cast<std::uint64_t>(((static_cast<std::int64_t>(at[dimension]) + step) % size + size) % size);
  return chip(at);
}

double Topology::dimension_rate(const Dimension& dimension) const {
  const double rate = classes_[dimension.first_class].rate;
  // A ring of two has two cables to the same chip.
  return dimension.kind == DimensionKind::kRing ? 2 * rate : rate;
}

double Topology::chip_rate() const {
  double sum = 0;
  for (const Dimension& d : dimensions_) sum += dimension_rate(d);
  return sum;
}

std::uint64_t Topology::hops(const Dimension& dimension, std::uint64_t offset) {
  if (offset == 0) return 0;
  switch (dimension.kind) {
    case DimensionKind::kRing:
      return std::min(offset, dimension.size - offset);
    case DimensionKind::kSwitch:
      return 2;
    case DimensionKind::kCable:
      break;
  }
  return 1;
}

std::uint64_t Topology::diameter() const {
  std::uint64_t sum = 0;
  for (const Dimension& d : dimensions_) sum += hops(d, d.kind == DimensionKind::kRing ? d.size / 2 : 1);
  return sum;
}

}  // namespace trn
