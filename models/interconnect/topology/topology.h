// A machine as a graph of chips, switches and links.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/interconnect/topology/fabric_config.h"
#include "models/interconnect/topology/wiring.h"
#include "models/machine_config.h"

namespace trn {

class Topology {
 public:
  // A ConfigError for what cannot be: unknown ends of a fault, chips that cannot be reached.
  explicit Topology(const FabricConfig& config);

  std::uint64_t chips() const { return wiring_.chips; }
  std::uint64_t vertices() const { return wiring_.names.size(); }
  const std::string& vertex_name(std::uint64_t vertex) const { return wiring_.names[vertex]; }
  const std::vector<Link>& links() const { return wiring_.links; }
  const std::vector<LinkClass>& classes() const { return wiring_.classes; }
  double rate(std::uint32_t link) const { return classes()[links()[link].link_class].rate; }
  // Numbers of the links out of and into a vertex, rising.
  const std::vector<std::uint32_t>& outgoing(std::uint64_t vertex) const { return outgoing_[vertex]; }
  const std::vector<std::uint32_t>& incoming(std::uint64_t vertex) const { return incoming_[vertex]; }
  // Symmetries of the machine map any chip on any other and any link on any other of its class: one chip can
  // stand for all.
  bool chips_alike() const { return wiring_.chips_alike; }
  Routing routing() const { return routing_; }

  // The machine as a product of dimensions; chip number = mixed-radix coordinates, the last dimension varying
  // fastest. Empty for twisted tori, graphs, and where a link is broken: nothing below then applies.
  const std::vector<Dimension>& dimensions() const { return wiring_.dimensions; }
  std::vector<std::uint64_t> coordinates(std::uint64_t chip) const;
  std::uint64_t chip(const std::vector<std::uint64_t>& coordinates) const;
  // The chip `step` further along a dimension, wrapping around.
  std::uint64_t neighbour(std::uint64_t chip, std::size_t dimension, std::int64_t step) const;
  double dimension_rate(const Dimension& dimension) const { return dimension.rate; }
  // A chip's link of a class of a dimension; a switch's down link belongs to the chip it leads to. kNoLink at
  // the end of a line.
  std::uint32_t link(std::uint32_t link_class, std::uint64_t chip) const {
    return ports_[link_class * chips() + chip];
  }
  static constexpr std::uint32_t kNoLink = UINT32_MAX;
  // Hops of a minimal path over an offset in one dimension; a line's offset is a distance.
  static std::uint64_t hops(const Dimension& dimension, std::uint64_t offset);

  // Bytes a picosecond over all links of a chip.
  double out_rate(std::uint64_t chip) const;
  double in_rate(std::uint64_t chip) const;
  double chip_rate() const;         // the least of all chips and both directions
  Picoseconds hop_latency() const;  // of the slowest link
  std::uint64_t diameter() const;   // hops between the two chips furthest apart

 private:
  void number_ports();
  void check_connected(const FabricConfig& config) const;

  Wiring wiring_;
  Routing routing_;
  std::vector<std::vector<std::uint32_t>> outgoing_, incoming_;
  std::vector<std::uint32_t> ports_;  // class * chips + chip; empty without dimensions
  mutable std::optional<std::uint64_t> diameter_;
};

}  // namespace trn
