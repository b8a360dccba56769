// A quantity over time in constant memory: what accumulates in each of some thousand bins.
#pragma once

#include <vector>

#include "base/units.h"
#include "sim/timeline/time_window.h"

namespace trn {

// Amounts may come in any order of time; their sum is kept. When the bins run out, two become one, so that
// the resolution fits the length of the run.
class BinnedSeries {
 public:
  static constexpr std::size_t kBins = 4096;
  static constexpr std::uint64_t kFirstWidth = 1024;  // ps

  explicit BinnedSeries(const TimeWindow& window) : window_(window) {}

  // `per_picosecond` of it over [begin, end), as far as that lies in the window.
  void add(Picoseconds begin, Picoseconds end, double per_picosecond);

  Picoseconds width() const { return Picoseconds(width_); }
  Picoseconds begin_of(std::size_t bin) const { return window_.from + Picoseconds(bin * width_); }
  // Up to the last one that was added to.
  const std::vector<double>& bins() const { return bins_; }
  double mean(std::size_t bin) const { return bins_[bin] / static_cast<double>(width_); }

 private:
  void widen();

  TimeWindow window_;
  std::uint64_t width_ = kFirstWidth;
  std::vector<double> bins_;
};

}  // namespace trn
