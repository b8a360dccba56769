#include "models/memory/dma/turn_order.h"

#include <algorithm>

#include "base/error.h"

namespace trn {

void TurnOrder::add(std::uint32_t queue, std::uint32_t priority) {
  if (classes_.size() <= priority) classes_.resize(priority + 1);
  classes_[priority].push_back({queue, packet_});
}

void TurnOrder::remove(std::uint32_t queue) {
  for (std::deque<Entry>& entries : classes_)
    entries.erase(std::remove_if(entries.begin(), entries.end(),
                                 [&](const Entry& entry) { return entry.queue == queue; }),
                  entries.end());
}

std::size_t TurnOrder::current_class() const {
  std::size_t c = 0;
  while (c < classes_.size() && classes_[c].empty()) ++c;
  return c;
}

std::optional<std::uint32_t> TurnOrder::current() const {
  const std::size_t c = current_class();
  if (c == classes_.size()) return std::nullopt;
  return classes_[c].front().queue;
}

void TurnOrder::took(std::uint64_t bytes) {
  const std::size_t c = current_class();
  TRN_CHECK(c < classes_.size(), "bytes were taken from no queue");
  Entry entry = classes_[c].front();
  entry.left -= static_cast<std::int64_t>(bytes);
  classes_[c].pop_front();
  if (entry.left > 0) {
    classes_[c].push_front(entry);
  } else {
    entry.left += packet_;
    classes_[c].push_back(entry);
  }
}

}  // namespace trn
