// What a byte of a flow takes of one resource.
#pragma once

#include <cstdint>
#include <limits>

namespace trn {

// A flow of rate x takes `coefficient * x` of the resource's capacity. The coefficient carries what is
// not a plain byte: engine time a byte, HBM read + write, the multiplicity of folded ranks.
struct FlowUse {
  std::uint32_t resource;
  double coefficient;
  // A bus that moves one direction at a time loses time to turning around: a byte takes so much on top when
  // as much flows one way as the other, less when one way prevails.
  double turn = 0;
  double write_share = 0;  // of the payload
  double payload = 0;      // what the flow is after; the rest of the coefficient is overhead

  friend bool operator==(const FlowUse& a, const FlowUse& b) {
    return a.resource == b.resource && a.coefficient == b.coefficient && a.turn == b.turn &&
           a.write_share == b.write_share && a.payload == b.payload;
  }
};

// In place of a resource: the flow's own cap.
inline constexpr std::uint32_t kOwnCap = std::numeric_limits<std::uint32_t>::max();

}  // namespace trn
