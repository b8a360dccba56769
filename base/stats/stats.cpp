#include "base/stats/stats.h"

namespace trn {

const char* unit_name(Unit unit) {
  switch (unit) {
    case Unit::kCount:
      return "count";
    case Unit::kCycles:
      return "cycles";
    case Unit::kPicoseconds:
      return "ps";
    case Unit::kBytes:
      return "bytes";
    case Unit::kFlops:
      return "flops";
    case Unit::kRatio:
      return "ratio";
    case Unit::kBytesPerSecond:
      return "bytes/s";
  }
  return "?";
}

Counter::Counter(StatGroup* group, const char* name, Unit unit, const char* description) {
  group->entries_.push_back({name, unit, description, this, nullptr});
}

Formula::Formula(StatGroup* group, const char* name, Unit unit, const char* description,
                 std::function<double()> f)
    : formula_(std::move(f)) {
  group->entries_.push_back({name, unit, description, nullptr, this});
}

void StatGroup::snapshot(std::vector<StatValue>& out) const {
  for (const Entry& entry : entries_) {
    const double value =
        entry.counter != nullptr ? static_cast<double>(entry.counter->value()) : entry.formula->value();
    out.push_back({name_ + '.' + entry.name, entry.unit, entry.description, value});
  }
}

double ratio(double a, double b) { return b == 0 ? 0.0 : a / b; }

}  // namespace trn
