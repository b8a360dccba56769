#include "base/interval_set.h"

#include <algorithm>

namespace trn {

void IntervalSet::add(Picoseconds begin, Picoseconds end) {
  if (end <= begin) return;
  if (!intervals_.empty()) {
    Interval& last = intervals_.back();
    if (begin <= last.end && end >= last.begin) {
      last.begin = std::min(last.begin, begin);
      last.end = std::max(last.end, end);
      return;
    }
  }
  if (intervals_.size() == merge_at_) {
    merge(intervals_);
    merge_at_ = std::max(merge_at_, 2 * intervals_.size());
  }
  intervals_.push_back({begin, end});
}

void IntervalSet::add(const IntervalSet& other) {
  for (const Interval& interval : other.intervals_) add(interval.begin, interval.end);
}

Picoseconds IntervalSet::covered() const {
  std::vector<Interval> intervals = intervals_;
  merge(intervals);
  Picoseconds sum;
  for (const Interval& interval : intervals) sum += interval.end - interval.begin;
  return sum;
}

void IntervalSet::merge(std::vector<Interval>& intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  std::size_t kept = 0;
  for (const Interval& next : intervals) {
    if (kept > 0 && next.begin <= intervals[kept - 1].end)
      intervals[kept - 1].end = std::max(intervals[kept - 1].end, next.end);
    else
      intervals[kept++] = next;
  }
  intervals.resize(kept);
}

}  // namespace trn
