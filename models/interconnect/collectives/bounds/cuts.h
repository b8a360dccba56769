// Ways to part a machine in two, and what the links between the parts carry.
#pragma once

#include <string>
#include <vector>

#include "models/interconnect/topology/topology.h"

namespace trn {

struct Cut {
  std::string name;          // "chip", "cut x", "cut within 2 hops"
  std::vector<char> inside;  // by chip
  double out = 0, in = 0;    // bytes a picosecond over all links that leave or enter it
};

// Every chip alone; every coordinate and every half ring of the machine's dimensions; and without dimensions
// every chip with what is within so many hops. Any of them is a bound; which is the tightest depends on the
// collective.
std::vector<Cut> test_cuts(const Topology& topology);

}  // namespace trn
