#include "base/flow/flow_spec.h"

#include <cstring>

#include "base/flow/mix.h"

namespace trn {

std::uint64_t hash(const FlowShape& shape) {
  std::uint64_t h = shape.priority;
  const auto add = [&h](double x) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &x, sizeof bits);
    h = mix(h ^ bits);
  };
  add(shape.weight);
  add(shape.cap);
  for (const FlowUse& use : shape.uses) {
    h = mix(h ^ use.resource);
    add(use.coefficient);
    add(use.turn);
    add(use.write_share);
    add(use.payload);
  }
  return h;
}

}  // namespace trn
