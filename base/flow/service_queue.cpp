#include "base/flow/service_queue.h"

#include <algorithm>
#include <cmath>

namespace trn {
namespace {

// A flow that read its start off a running clock and lacks so little is done: it is rounding that is missing,
// not bytes. It then ends when it would alone, at the start plus bytes / rate, rounded up.
constexpr double kNoTime = 1e-6;  // ps

constexpr double kForever = 1e18;  // ps, eleven days

// Above, the clock is set back: a double of this size still tells 2^-29 bytes apart, which at any rate of
// interest are less than kNoTime.
constexpr double kClockLimit = 1 << 24;  // bytes

// An object, not a function: the heap calls it inline.
struct Later {
  bool operator()(const ServiceQueue::Entry& a, const ServiceQueue::Entry& b) const {
    return a.target != b.target ? b.target < a.target : b.serial < a.serial;
  }
};

}  // namespace

void ServiceQueue::join(Picoseconds now, std::uint64_t serial, FlowId flow, Bytes bytes) {
  const double length = static_cast<double>(bytes.count());
  if (entries_.empty()) {
    clock_ = -length;
    since_ = now;
    rate_ = slack_ = 0;
    entries_.push_back({0, serial, flow});
    return;
  }
  const double picoseconds = static_cast<double>((now - since_).count());
  const double served = rate_ * picoseconds;
  const double target = clock_ + served + length;
  if (target - clock_ != length) slack_ = kNoTime;
  before_joining_.picoseconds += picoseconds;
  before_joining_.bytes += served;
  entries_.push_back({target, serial, flow});
  std::push_heap(entries_.begin(), entries_.end(), Later());
}

Picoseconds ServiceQueue::end_of(double target) const {
  const double time = std::max(0.0, std::max(0.0, target - clock_) / rate_ - slack_);
  if (time >= kForever) return Picoseconds::max();
  return since_ + Picoseconds(static_cast<std::uint64_t>(std::ceil(time)));
}

Picoseconds ServiceQueue::first_end() const {
  if (entries_.empty() || rate_ <= 0) return Picoseconds::max();
  return end_of(entries_.front().target);
}

ServiceQueue::Served ServiceQueue::advance(Picoseconds now) {
  if (now == since_ || entries_.empty()) return {};
  const double elapsed = static_cast<double>((now - since_).count());
  const double flows = static_cast<double>(entries_.size());
  const double moved = std::min(rate_ * elapsed, std::max(0.0, entries_.front().target - clock_));
  const Served served{elapsed * flows - before_joining_.picoseconds, moved * flows - before_joining_.bytes};
  move_clock(moved, now);
  return served;
}

ServiceQueue::Served ServiceQueue::take(Picoseconds now, std::vector<Entry>& ended) {
  const double elapsed = static_cast<double>((now - since_).count());
  Served served{elapsed * static_cast<double>(entries_.size()) - before_joining_.picoseconds,
                -before_joining_.bytes};
  const double first = entries_.front().target;
  do {
    served.bytes += std::max(0.0, entries_.front().target - clock_);
    ended.push_back(entries_.front());
    std::pop_heap(entries_.begin(), entries_.end(), Later());
    entries_.pop_back();
  } while (!entries_.empty() && (entries_.front().target <= first || end_of(entries_.front().target) <= now));
  // The others go on to the full picosecond, of which the last bytes of those that ended took only a part.
  const double moved = rate_ * elapsed;
  if (!entries_.empty()) served.bytes += moved * static_cast<double>(entries_.size());
  move_clock(moved, now);
  return served;
}

// The clock is set back for all alike: the order of the heap stays.
void ServiceQueue::move_clock(double bytes, Picoseconds now) {
  since_ = now;
  before_joining_ = {};
  clock_ += bytes;
  if (clock_ <= kClockLimit) return;
  for (Entry& entry : entries_) entry.target -= clock_;
  clock_ = 0;
}

}  // namespace trn
