#include "models/interconnect/topology/wiring.h"

namespace trn {

Wiring::Wiring(std::uint64_t chip_count) : chips(chip_count) {
  for (std::uint64_t c = 0; c < chips; ++c) names.push_back("chip " + std::to_string(c));
}

std::uint32_t Wiring::add_switch(std::string name) {
  names.push_back(std::move(name));
  return static_cast<std::uint32_t>(names.size() - 1);
}

std::uint32_t Wiring::add_class(std::string name, double rate, Picoseconds latency) {
  classes.push_back({std::move(name), rate, latency, 0});
  return static_cast<std::uint32_t>(classes.size() - 1);
}

void Wiring::add_link(std::uint64_t from, std::uint64_t to, std::uint32_t link_class) {
  links.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), link_class});
  ++classes[link_class].links;
}

}  // namespace trn
