#include "base/flow/rate_memo.h"

namespace trn {
namespace {

constexpr std::size_t kMost = 1 << 20;   // members; some thirty megabytes
constexpr std::size_t kEntryItself = 8;  // what an entry takes besides, in members

}  // namespace

// Forgets everything when full: the result is the same, only later.
void RateMemo::add(std::uint64_t key, Entry entry) {
  const std::size_t size = entry.members.size() + kEntryItself;
  if (stored_ + size > kMost) {
    entries_.clear();
    stored_ = 0;
  }
  stored_ += size;
  entries_.emplace(key, std::move(entry));
}

}  // namespace trn
