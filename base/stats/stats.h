// Statistics: counters only accumulate; every ratio is a Formula evaluated when the report is written.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace trn {

enum class Unit { kCount, kCycles, kPicoseconds, kBytes, kFlops, kRatio, kBytesPerSecond };
const char* unit_name(Unit unit);

// One value of a finished run, as reports see it.
struct StatValue {
  std::string name;  // dotted: "core0.tensor.matmuls"
  Unit unit;
  std::string description;
  double value;
};

class StatGroup;

// Grows only. `value()` is exact up to 2^64.
class Counter {
 public:
  Counter(StatGroup* group, const char* name, Unit unit, const char* description);
  Counter& operator+=(std::uint64_t n) {
    value_ += n;
    return *this;
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_ = 0;
};

class Formula {
 public:
  Formula(StatGroup* group, const char* name, Unit unit, const char* description, std::function<double()> f);
  double value() const { return formula_(); }

 private:
  std::function<double()> formula_;
};

// The members of a derived struct register themselves here; groups never move.
class StatGroup {
 public:
  explicit StatGroup(std::string name) : name_(std::move(name)) {}
  StatGroup(const StatGroup&) = delete;
  StatGroup& operator=(const StatGroup&) = delete;
  virtual ~StatGroup() = default;

  // Appends this group's values in declaration order.
  void snapshot(std::vector<StatValue>& out) const;

 private:
  friend class Counter;
  friend class Formula;
  struct Entry {
    const char* name;
    Unit unit;
    const char* description;
    const Counter* counter;  // one of the two is set
    const Formula* formula;
  };
  std::string name_;
  std::vector<Entry> entries_;
};

// a / b, 0 when b is 0.
double ratio(double a, double b);

}  // namespace trn
