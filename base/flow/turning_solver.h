// Max-min sharing where buses that move one direction at a time also pay for turning around.
#pragma once

#include <vector>

#include "base/flow/max_min.h"
#include "base/flow/turn_shape.h"

namespace trn {

class TurningSolver {
 public:
  // Numbered from 0.
  std::uint32_t add_resource(double capacity, TurnShape shape);

  struct Turning {
    std::uint32_t resource;
    double part;  // of the turns' full cost
  };
  struct Result {
    std::vector<FlowShare> shares;
    std::vector<Turning> turning;  // of every resource that turns
  };
  void solve(const std::vector<FlowDemand>& demands, Result& result);

 private:
  struct Directions {
    bool turns = false;
    double read = 0, write = 0, load = 0, turn = 0;
  };
  void add_loads(const std::vector<FlowDemand>& demands, const std::vector<FlowShare>& shares);
  bool find_turning(Result& result);

  std::vector<double> capacity_;  // by resource, as all of these
  std::vector<TurnShape> shapes_;
  std::vector<double> turning_;
  std::vector<Directions> directions_;
  std::vector<std::uint32_t> buses_;  // that turn, ascending
  MaxMinSolver solver_;
};

}  // namespace trn
