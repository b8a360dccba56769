// What resources moved, and for how long each was what flows waited for.
#pragma once

#include <string>
#include <vector>

#include "base/flow/flow_use.h"
#include "base/units.h"

namespace trn {

struct ResourceReport {
  std::string name;
  double capacity;           // units a picosecond
  double units_moved;        // integral of the used capacity
  double turn_units;         // part of it that went into turning around,
  double payload;            // and part that flows were after
  double bound_picoseconds;  // summed over flows: time during which this resource was the binding one
  Picoseconds binding;       // the binding one of at least one flow
};

class ResourceLedger {
 public:
  void add_resource(std::string name, double capacity) {
    rows_.emplace_back().report = {std::move(name), capacity, 0, 0, 0, 0, {}};
  }

  void book(const std::vector<FlowUse>& uses, double bytes);
  // What the turns of a resource cost from now on, as a part of their full cost.
  double turning(std::uint32_t resource) const { return rows_[resource].turning; }
  void set_turning(std::uint32_t resource, double part) { rows_[resource].turning = part; }

  // The resource begins and ends to bind some flows; and for how long it bound them, summed over flows.
  void bind(std::uint32_t resource, Picoseconds now);
  void release(std::uint32_t resource, Picoseconds now);
  void add_bound(std::uint32_t resource, double picoseconds) {
    rows_[resource].report.bound_picoseconds += picoseconds;
  }

  std::vector<ResourceReport> report() const;

 private:
  struct Row {
    ResourceReport report;
    double turning = 0;
    std::uint32_t bound = 0;  // binds so many now,
    Picoseconds bound_since;  // the first of them since then
  };
  std::vector<Row> rows_;
};

}  // namespace trn
