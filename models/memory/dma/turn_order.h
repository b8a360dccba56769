// Whose turn it is at a DMA engine: classes in order, the queues of a class round robin, a packet a turn.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "base/units.h"

namespace trn {

// Rows are taken whole: by what a queue's last row went over the packet, its next turn is shorter. In the
// long run queues get equal bytes whatever the length of their rows (deficit round robin, Shreedhar and
// Varghese 1996).
class TurnOrder {
 public:
  explicit TurnOrder(Bytes packet) : packet_(static_cast<std::int64_t>(packet.count())) {}

  void add(std::uint32_t queue, std::uint32_t priority);
  void remove(std::uint32_t queue);
  // Nothing if no queue is in.
  std::optional<std::uint32_t> current() const;
  // The current queue has had so many bytes, at most a packet.
  void took(std::uint64_t bytes);

 private:
  struct Entry {
    std::uint32_t queue;
    std::int64_t left;  // of its turn
  };
  std::size_t current_class() const;

  std::int64_t packet_;
  std::vector<std::deque<Entry>> classes_;  // front: whose turn it is
};

}  // namespace trn
