#include "models/memory/hbm/rate_memory.h"

namespace trn {

// Counted from the start of the busy time, so that rounding does not add up.
void RateMemory::request(Picoseconds now, const MemoryRequest& request) {
  if (waiting_.empty()) {
    busy_from_ = now;
    busy_bytes_ = 0;
  }
  busy_bytes_ += request.bytes;
  Picoseconds done = now;
  if (rate_.count() > 0) {
    const auto scaled = static_cast<unsigned __int128>(busy_bytes_) * 1'000'000;
    done = busy_from_ + Picoseconds(static_cast<std::uint64_t>((scaled + rate_.count() - 1) / rate_.count()));
  }
  waiting_.push_back({done, request});
}

Picoseconds RateMemory::next() const { return waiting_.empty() ? Picoseconds::max() : waiting_.front().done; }

void RateMemory::advance(Picoseconds now, std::vector<std::uint32_t>& done) {
  while (!waiting_.empty() && waiting_.front().done <= now) {
    const MemoryRequest& request = waiting_.front().request;
    (request.write ? totals_.written : totals_.read) += Bytes(request.bytes);
    done.push_back(request.tag);
    waiting_.pop_front();
  }
}

}  // namespace trn
