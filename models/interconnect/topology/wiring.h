// A machine's wiring as plain data: what the shapes make, faults change, and Topology answers questions
// about.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"

namespace trn {

// Links of one kind.
struct LinkClass {
  std::string name;     // "+x", "tray up", "cross cable"
  double rate;          // bytes a picosecond, one direction, after protocol efficiency
  Picoseconds latency;  // of one hop over it
  std::uint64_t links;  // how many there are
};

// One direction of a cable. Vertices: the chips first, then the switches.
struct Link {
  std::uint32_t from, to, link_class;
};

enum class DimensionKind : std::uint8_t {
  kRing,    // a link to the next and one to the previous chip
  kLine,    // a ring that is not closed: the chips at its ends have one link
  kSwitch,  // one port to a switch that joins all chips of the dimension
  kCable    // two chips, one cable
};

struct Dimension {
  std::string name;  // x, y, z; tray, rack, cross
  DimensionKind kind;
  std::uint64_t size;
  std::uint32_t first_class;  // ring and line: +, - ; switch: up, down ; cable: the cable
  double rate;                // out of an inner chip into it, all links, bytes a picosecond a direction

  std::uint32_t class_count() const { return kind == DimensionKind::kCable ? 1 : 2; }
};

struct Wiring {
  std::uint64_t chips = 1;
  std::vector<std::string> names;  // of the vertices
  std::vector<Link> links;
  std::vector<LinkClass> classes;
  std::vector<Dimension> dimensions;  // slowest varying first; empty: no product
  bool chips_alike = true;

  explicit Wiring(std::uint64_t chips);
  std::uint32_t add_switch(std::string name);
  std::uint32_t add_class(std::string name, double rate, Picoseconds latency);
  void add_link(std::uint64_t from, std::uint64_t to, std::uint32_t link_class);
};

}  // namespace trn
