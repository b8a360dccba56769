// What happens when, for numbered things of which each has one next event.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"

namespace trn {

// A heap that knows where everyone stands: a time that moves is moved in place, so the heap is never larger
// than the number of things, and to move one that keeps its rank costs next to nothing.
class TimeHeap {
 public:
  bool empty() const { return entries_.empty(); }
  Picoseconds time() const { return entries_.front().at; }
  std::uint32_t item() const { return entries_.front().item; }

  void set(std::uint32_t item, Picoseconds at);
  void remove(std::uint32_t item);  // if it is there

 private:
  static constexpr std::uint32_t kNowhere = ~std::uint32_t{0};
  struct Entry {
    Picoseconds at;
    std::uint32_t item;
  };
  void rise(std::size_t place, Entry entry);
  void sink(std::size_t place, Entry entry);
  void put(std::size_t place, Entry entry) {
    entries_[place] = entry;
    places_[entry.item] = static_cast<std::uint32_t>(place);
  }

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> places_;  // by item
};

}  // namespace trn
