#include "sim/timeline/resource_rates.h"

namespace trn {

void ResourceRates::rate_changed(FlowClassId flow_class, const FlowShape& shape, bool single, double rate,
                                 Picoseconds now) {
  if (classes_.size() <= flow_class) classes_.resize(flow_class + 1);
  Moving& moving = classes_[flow_class];
  if (moving.rate > 0)
    for (const FlowUse& use : shape.uses) add(use, single, moving, now);
  moving = {rate, now};
}

void ResourceRates::add(const FlowUse& use, bool single, const Moving& moving, Picoseconds now) {
  const auto found = rates_.find(use.resource);
  if (found == rates_.end()) return;
  ResourceRate& rate = found->second;
  if (use.payload == 0) {
    rate.used.add(moving.since, now, moving.rate * use.coefficient);
  } else if (single) {
    rate.read.add(moving.since, now, moving.rate * use.payload * (1 - use.write_share));
    rate.written.add(moving.since, now, moving.rate * use.payload * use.write_share);
  } else {
    rate.used.add(moving.since, now, moving.rate * use.payload);
  }
}

}  // namespace trn
