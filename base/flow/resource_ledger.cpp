#include "base/flow/resource_ledger.h"

namespace trn {

void ResourceLedger::book(const std::vector<FlowUse>& uses, double bytes) {
  for (const FlowUse& use : uses) {
    Row& row = rows_[use.resource];
    const double turn = bytes * use.turn * row.turning;
    row.report.units_moved += bytes * use.coefficient + turn;
    row.report.turn_units += turn;
    row.report.payload += bytes * use.payload;
  }
}

void ResourceLedger::bind(std::uint32_t resource, Picoseconds now) {
  if (rows_[resource].bound++ == 0) rows_[resource].bound_since = now;
}

void ResourceLedger::release(std::uint32_t resource, Picoseconds now) {
  Row& row = rows_[resource];
  if (--row.bound == 0) row.report.binding += now - row.bound_since;
}

std::vector<ResourceReport> ResourceLedger::report() const {
  std::vector<ResourceReport> reports;
  reports.reserve(rows_.size());
  for (const Row& row : rows_) reports.push_back(row.report);
  return reports;
}

}  // namespace trn
