// The chips of a shape as a product of dimensions: torus rings, switch groups, direct cables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/machine_config.h"

namespace trn {

// Links of one kind: all chips have one, and the symmetries of the machine map any of them on any other.
struct LinkClass {
  std::string name;
  double rate;  // bytes a picosecond, a direction, after protocol efficiency
};

enum class DimensionKind : std::uint8_t {
  kRing,    // a link to the next and one to the previous chip
  kSwitch,  // one port to a switch that joins all chips of the dimension
  kCable    // two chips, one cable
};

struct Dimension {
  std::string name;  // x, y, z; tray, rack, cross
  DimensionKind kind;
  std::uint64_t size;
  std::uint32_t first_class;  // ring: +, - ; switch: up, down ; cable: the cable

  std::uint32_t class_count() const { return kind == DimensionKind::kCable ? 1 : 2; }
};

// Chip number = mixed-radix coordinates, the last dimension varying fastest.
class Topology {
 public:
  explicit Topology(const FabricConfig& config);

  std::uint64_t chips() const { return chips_; }
  const std::vector<Dimension>& dimensions() const { return dimensions_; }
  const std::vector<LinkClass>& classes() const { return classes_; }
  Picoseconds hop_latency() const { return hop_latency_; }

  std::vector<std::uint64_t> coordinates(std::uint64_t chip) const;
  std::uint64_t chip(const std::vector<std::uint64_t>& coordinates) const;
  // The chip `step` further along a dimension, wrapping around.
  std::uint64_t neighbour(std::uint64_t chip, std::size_t dimension, std::int64_t step) const;

  // Rate out of a chip into one dimension, bytes a picosecond a direction.
  double dimension_rate(const Dimension& dimension) const;
  double chip_rate() const;        // over all dimensions
  std::uint64_t diameter() const;  // in hops
  // Hops of a minimal path over an offset in one dimension.
  static std::uint64_t hops(const Dimension& dimension, std::uint64_t offset);

  // Links of a chip by class in one flat numbering: class * chips + chip. A switch's down link belongs to the
  // chip it leads to.
  std::uint64_t link(std::uint32_t link_class, std::uint64_t chip) const {
    return link_class * chips_ + chip;
  }

 private:
  void add(const std::string& name, DimensionKind kind, std::uint64_t size, MegabytesPerSecond rate);

  std::uint64_t chips_ = 1;
  std::uint64_t efficiency_percent_;
  Picoseconds hop_latency_;
  std::vector<Dimension> dimensions_;
  std::vector<LinkClass> classes_;
};

}  // namespace trn
