// How fast bytes go through each resource, over time.
#pragma once

#include <map>
#include <vector>

#include "base/flow/flow_listener.h"
#include "sim/timeline/binned_series.h"

namespace trn {

// By resource that is watched. Of memories what flows are after is told apart by direction, where that is
// known: transfers say it, collectives read and write the same places. Of all else it is what is used of it.
struct ResourceRate {
  explicit ResourceRate(const TimeWindow& window) : read(window), written(window), used(window) {}
  BinnedSeries read, written;  // of memories, by transfers
  BinnedSeries used;           // of memories, by collectives
};

class ResourceRates : public FlowListener {
 public:
  explicit ResourceRates(const TimeWindow& window) : window_(window) {}

  void watch(std::uint32_t resource) { rates_.emplace(resource, ResourceRate(window_)); }
  void rate_changed(FlowClassId flow_class, const FlowShape& shape, bool single, double rate,
                    Picoseconds now) override;
  const ResourceRate& rate(std::uint32_t resource) const { return rates_.at(resource); }

 private:
  struct Moving {
    double rate = 0;
    Picoseconds since;
  };
  void add(const FlowUse& use, bool single, const Moving& moving, Picoseconds now);

  TimeWindow window_;
  std::vector<Moving> classes_;
  std::map<std::uint32_t, ResourceRate> rates_;
};

}  // namespace trn
