#include "models/memory/hbm/memory_pattern.h"

#include <queue>
#include <random>

#include "base/error.h"

namespace trn {
namespace {

// A requester asks again as soon as one of its requests is answered.
class Requester {
 public:
  Requester(const MemoryPattern& pattern, std::uint64_t number, std::uint64_t share)
      : pattern_(pattern),
        left_(share),
        region_(pattern.footprint_bytes / pattern.requesters / pattern.request_bytes * pattern.request_bytes),
        base_(number * region_),
        random_(pattern.seed * 1'000'003 + number) {}

  std::uint64_t left() const { return left_; }
  HbmRequest next() {
    --left_;
    HbmRequest request{base_ + offset(), pattern_.request_bytes, false};
    request.write = random_() % 100 < pattern_.write_percent;
    return request;
  }

 private:
  std::uint64_t offset() {
    if (pattern_.kind == PatternKind::kRandom)
      return random_() % (region_ / pattern_.request_bytes) * pattern_.request_bytes;
    const std::uint64_t step =
        pattern_.kind == PatternKind::kStrided ? pattern_.stride_bytes : pattern_.request_bytes;
    const std::uint64_t at = at_;
    at_ += step;
    if (at_ + pattern_.request_bytes > region_) at_ = 0;
    return at;
  }

  const MemoryPattern& pattern_;
  std::uint64_t left_;
  std::uint64_t region_;
  std::uint64_t base_;
  std::uint64_t at_ = 0;
  std::mt19937_64 random_;
};

class PatternRun {
 public:
  PatternRun(const MemoryPattern& pattern, const DramConfig& dram) : stack_(dram) {
    const std::uint64_t n = pattern.requesters;
    for (std::uint64_t r = 0; r < n; ++r) {
      requesters_.emplace_back(pattern, r, pattern.requests / n + (r < pattern.requests % n ? 1 : 0));
      const std::uint64_t window =
          pattern.outstanding > 0 ? pattern.outstanding : default_outstanding(pattern, dram);
      for (std::uint64_t i = 0; i < std::min(window, requesters_[r].left()); ++i) arrivals_.push({0, r});
    }
    latencies_.reserve(pattern.requests);
    ends_.reserve(pattern.requests);
  }

  void run() {
    for (;;) {
      const std::uint64_t command = stack_.next();
      if (!arrivals_.empty() && arrivals_.top().cycle <= command)
        arrive();
      else if (command == kNeverCycle)
        return;
      else
        serve(command);
    }
  }

  HbmStack& stack() { return stack_; }
  std::vector<std::uint64_t>& latencies() { return latencies_; }
  std::vector<std::uint64_t>& ends() { return ends_; }
  std::uint64_t last() const { return last_; }

 private:
  struct Arrival {
    std::uint64_t cycle;
    std::uint64_t requester;
    bool operator<(const Arrival& o) const {
      return cycle != o.cycle ? o.cycle < cycle : o.requester < requester;
    }
  };
  struct Flight {
    std::uint64_t started = 0;
    std::uint64_t requester = 0;
  };

  void arrive() {
    const Arrival arrival = arrivals_.top();
    arrivals_.pop();
    Requester& requester = requesters_[arrival.requester];
    if (requester.left() == 0) return;
    const std::uint32_t ticket = stack_.request(arrival.cycle, requester.next());
    if (ticket >= flights_.size()) flights_.resize(ticket + 1);
    flights_[ticket] = {arrival.cycle, arrival.requester};
  }

  void serve(std::uint64_t command) {
    std::uint64_t until = command + stack_.lookahead();
    if (!arrivals_.empty()) until = std::min(until, arrivals_.top().cycle);
    stack_.advance(until, completed_);
    for (const HbmDone& done : completed_) {
      const Flight& flight = flights_[done.ticket];
      latencies_.push_back(done.cycle - flight.started);
      ends_.push_back(done.cycle);
      last_ = std::max(last_, done.cycle);
      arrivals_.push({done.cycle, flight.requester});
    }
    completed_.clear();
  }

  HbmStack stack_;
  std::vector<Requester> requesters_;
  std::priority_queue<Arrival> arrivals_;
  std::vector<Flight> flights_;  // by ticket
  std::vector<HbmDone> completed_;
  std::vector<std::uint64_t> latencies_, ends_;  // in the order of completion
  std::uint64_t last_ = 0;
};

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace

std::uint64_t default_outstanding(const MemoryPattern& pattern, const DramConfig& dram) {
  // Four times what fills both queues of every channel: no channel runs dry while others are crowded.
  const std::uint64_t bursts = 8 * dram.queue_entries * dram.channels;
  const std::uint64_t per_request = (pattern.request_bytes + dram.burst_bytes - 1) / dram.burst_bytes;
  return std::max<std::uint64_t>(1, bursts / per_request / pattern.requesters);
}

double steady_efficiency(const MemoryPattern& pattern, const DramConfig& dram) {
  PatternRun run(pattern, dram);
  run.run();
  std::vector<std::uint64_t>& ends = run.ends();
  std::sort(ends.begin(), ends.end());
  const std::size_t from = ends.size() / 4, to = ends.size() * 9 / 10;
  const double bytes = static_cast<double>((to - from) * pattern.request_bytes);
  const double seconds = to_seconds(dram.time_of(ends[to]) - dram.time_of(ends[from]));
  return share(bytes, seconds) / (static_cast<double>(dram.rate.count()) * 1e6);
}

MemoryResult run_pattern(const MemoryPattern& pattern, const DramConfig& dram) {
  TRN_CHECK(pattern.requesters > 0 && pattern.request_bytes > 0, "a pattern without requesters or bytes");
  PatternRun run(pattern, dram);
  run.run();
  const ChannelStats stats = run.stack().stats();
  MemoryResult result;
  result.bytes = pattern.requests * pattern.request_bytes;
  result.time = dram.time_of(run.last());
  result.bytes_per_second = share(static_cast<double>(result.bytes), to_seconds(result.time));
  result.efficiency = result.bytes_per_second / (static_cast<double>(dram.rate.count()) * 1e6);
  result.bursts = stats.reads + stats.writes;
  result.activations = stats.activations;
  result.refreshes = stats.refreshes;
  result.row_hit_rate = 1 - share(static_cast<double>(stats.activations), static_cast<double>(result.bursts));
  std::vector<std::uint64_t>& latencies = run.latencies();
  std::sort(latencies.begin(), latencies.end());
  const std::array<double, 4> levels{0.5, 0.9, 0.99, 1};
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const auto at = static_cast<std::size_t>(levels[i] * static_cast<double>(latencies.size() - 1));
    result.latency_ns[i] = static_cast<double>(dram.time_of(latencies[at]).count()) * 1e-3;
  }
  const double bus_cycles = static_cast<double>(run.last() * dram.channels);
  for (std::size_t i = 0; i < stats.lost.size(); ++i) {
    result.lost_share[i] = share(static_cast<double>(stats.lost[i]), bus_cycles);
    if (stats.lost[i] > stats.lost[static_cast<std::size_t>(result.limit)])
      result.limit = static_cast<DramLimit>(i);
  }
  return result;
}

}  // namespace trn
