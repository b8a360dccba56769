// Weighted max-min fair sharing: the one rule by which everything that moves bytes shares resources.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace trn {

// A flow of rate x takes `coefficient * x` of the resource's capacity. The coefficient carries what is
// not a plain byte: engine time a byte, HBM read + write, the multiplicity of folded ranks.
struct FlowUse {
  std::uint32_t resource;
  double coefficient;
  // A bus that moves one direction at a time loses time to turning around: a byte takes so much on top when
  // as much flows one way as the other, less when one way prevails. The flow engine adds it; the solver sees
  // the sum.
  double turn = 0;
  double write_share = 0;  // of the payload
  double payload = 0;      // what the flow is after; the rest of the coefficient is overhead
};

struct FlowDemand {
  double weight = 1;  // share against other flows on the binding resource; > 0
  double cap = std::numeric_limits<double>::infinity();  // own limit on the rate
  std::uint32_t priority = 0;  // 0 is served first; a class sees what the classes before it left
  const std::vector<FlowUse>* uses = nullptr;
};

struct FlowShare {
  double rate = 0;
  std::uint32_t binding = 0;  // resource that stopped the rate from growing, or kOwnCap
};
inline constexpr std::uint32_t kOwnCap = std::numeric_limits<std::uint32_t>::max();

// Progressive filling: all rates of a class grow in proportion to their weights until a resource is full
// or a cap is met; those flows freeze and the others go on. The result is the unique vector in which no
// flow can gain without a flow of smaller or equal rate/weight losing. Independent of the order of
// `flows` up to rounding; bit-identical for the same order.
class MaxMinSolver {
 public:
  // `capacity[r]` in resource units a picosecond. Every flow needs a use or a finite cap.
  const std::vector<FlowShare>& solve(const std::vector<double>& capacity,
                                      const std::vector<FlowDemand>& flows);

 private:
  void fill_class(const std::vector<FlowDemand>& flows);
  void refresh(std::uint32_t resource, const std::vector<FlowDemand>& flows);

  struct Crossing {
    std::uint32_t flow;
    double coefficient;
  };
  std::vector<FlowShare> shares_;
  std::vector<char> frozen_;
  std::vector<double> capacity_;
  std::vector<double> level_;  // the fill level at which the resource is full
  std::vector<std::vector<Crossing>> crossings_;
  std::vector<std::uint32_t> touched_;
  std::vector<std::uint32_t> full_;     // resources that are full at the current level
  std::vector<std::uint32_t> members_;  // flows of the class being filled
};

}  // namespace trn
