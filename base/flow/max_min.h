// Weighted max-min fair sharing: the one rule by which everything that moves bytes shares resources.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "base/flow/flow_use.h"

namespace trn {

// So many flows that are alike in everything.
struct FlowDemand {
  double weight = 1;  // of one; share against other flows on the binding resource; > 0
  double cap = std::numeric_limits<double>::infinity();  // own limit on the rate of one
  std::uint32_t priority = 0;  // 0 is served first; a class sees what the classes before it left
  const std::vector<FlowUse>* uses = nullptr;
  double count = 1;
};

struct FlowShare {
  double rate = 0;            // of one flow
  std::uint32_t binding = 0;  // resource that stopped the rate from growing, or kOwnCap
};

// Progressive filling: all rates of a class grow in proportion to their weights until a resource is full
// or a cap is met; those flows freeze and the others go on. The result is the unique vector in which no
// flow can gain without a flow of smaller or equal rate/weight losing. Independent of the order of
// `flows` up to rounding; bit-identical for the same order.
class MaxMinSolver {
 public:
  // `capacity[r]` in resource units a picosecond; only what the flows use is looked at. Every flow needs a
  // use or a finite cap. A byte takes its coefficient, and of its turn the part `turning[r]`.
  const std::vector<FlowShare>& solve(const std::vector<double>& capacity,
                                      const std::vector<FlowDemand>& flows,
                                      const std::vector<double>* turning = nullptr);

 private:
  void cross(const std::vector<double>& capacity, const std::vector<FlowDemand>& flows,
             const std::vector<double>* turning);
  void fill(const std::vector<FlowDemand>& flows);
  void freeze(std::uint32_t flow, FlowShare share, const std::vector<FlowDemand>& flows);
  void refresh(std::uint32_t resource, const std::vector<FlowDemand>& flows);
  void leave_rest(const std::vector<double>& capacity, const std::vector<FlowDemand>& flows);

  struct Crossing {
    std::uint32_t flow;
    double coefficient;
  };
  // By resource; between two solves only the storage is kept.
  struct Crossed {
    std::vector<Crossing> flows;  // of the class being filled
    double left = 0;              // by the classes before
    double level = 0;             // the fill level at which the resource is full
    bool known = false;           // to this solve
    bool stale = false;           // one of its flows froze since `level` was computed
  };
  std::vector<FlowShare> shares_;
  std::vector<char> frozen_;
  std::vector<Crossed> crossed_;
  std::vector<std::uint32_t> known_;
  std::vector<std::uint32_t> touched_;  // by open flows of the class being filled
  std::vector<std::uint32_t> full_;     // resources that are full at the current level
  std::vector<std::uint32_t> stale_;
  std::vector<std::uint32_t> members_;  // flows of the class being filled,
  std::vector<std::uint32_t> capped_;   // and those of them with a cap of their own
  std::size_t open_ = 0;                // flows not yet frozen
};

}  // namespace trn
