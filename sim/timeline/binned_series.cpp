#include "sim/timeline/binned_series.h"

#include <algorithm>

namespace trn {

void BinnedSeries::add(Picoseconds begin, Picoseconds end, double per_picosecond) {
  const std::uint64_t from = std::max(begin, window_.from).count() - window_.from.count();
  const std::uint64_t to = std::max(std::min(end, window_.to), window_.from).count() - window_.from.count();
  if (to <= from || per_picosecond == 0) return;
  while (to > kBins * width_) widen();
  const std::size_t last = (to - 1) / width_;
  if (bins_.size() <= last) bins_.resize(last + 1);
  for (std::size_t bin = from / width_; bin <= last; ++bin) {
    const std::uint64_t inside = std::min(to, (bin + 1) * width_) - std::max(from, bin * width_);
    bins_[bin] += per_picosecond * static_cast<double>(inside);
  }
}

void BinnedSeries::widen() {
  width_ *= 2;
  for (std::size_t bin = 0; bin < bins_.size(); ++bin) {
    const double amount = bins_[bin];
    bins_[bin] = 0;
    bins_[bin / 2] += amount;
  }
  bins_.resize((bins_.size() + 1) / 2);
}

}  // namespace trn
