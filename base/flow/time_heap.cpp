#include "base/flow/time_heap.h"

#include <algorithm>

namespace trn {
namespace {

constexpr std::size_t kChildren = 4;  // flatter than two: fewer cache lines from the top to the bottom

}  // namespace

void TimeHeap::set(std::uint32_t item, Picoseconds at) {
  if (places_.size() <= item) places_.resize(item + 1, kNowhere);
  std::size_t place = places_[item];
  if (place == kNowhere) {
    place = entries_.size();
    entries_.push_back({at, item});
  } else if (entries_[place].at < at) {
    sink(place, {at, item});
    return;
  }
  rise(place, {at, item});
}

void TimeHeap::remove(std::uint32_t item) {
  if (places_.size() <= item || places_[item] == kNowhere) return;
  const std::size_t place = places_[item];
  places_[item] = kNowhere;
  const Entry last = entries_.back();
  entries_.pop_back();
  if (place == entries_.size()) return;
  if (last.at < entries_[place].at)
    rise(place, last);
  else
    sink(place, last);
}

void TimeHeap::rise(std::size_t place, Entry entry) {
  while (place > 0) {
    const std::size_t parent = (place - 1) / kChildren;
    if (!(entry.at < entries_[parent].at)) break;
    put(place, entries_[parent]);
    place = parent;
  }
  put(place, entry);
}

void TimeHeap::sink(std::size_t place, Entry entry) {
  for (;;) {
    const std::size_t first = place * kChildren + 1;
    if (first >= entries_.size()) break;
    const std::size_t end = std::min(first + kChildren, entries_.size());
    std::size_t child = first;
    for (std::size_t c = first + 1; c < end; ++c)
      if (entries_[c].at < entries_[child].at) child = c;
    if (!(entries_[child].at < entry.at)) break;
    put(place, entries_[child]);
    place = child;
  }
  put(place, entry);
}

}  // namespace trn
