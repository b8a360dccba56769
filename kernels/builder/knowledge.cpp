#include "kernels/builder/knowledge.h"

#include <algorithm>

namespace trn {

Knowledge::Knowledge(std::size_t semaphores) : snapshots_(semaphores) {
  for (auto& clock : known_) clock.assign(semaphores, 0);
}

void Knowledge::raise(Engine engine, Event event) {
  std::int64_t& known = known_[index_of(engine)][event.semaphore];
  if (known >= event.value) return;
  known = event.value;
  log_[index_of(engine)].push_back(event);
}

const Knowledge::Snapshot* Knowledge::find(Event event) const {
  const std::vector<Snapshot>& list = snapshots_[event.semaphore];
  const auto it = std::lower_bound(list.begin(), list.end(), event.value,
                                   [](const Snapshot& s, std::int64_t value) { return s.value < value; });
  return it == list.end() || it->value != event.value ? nullptr : &*it;
}

void Knowledge::learn(Engine engine, Event event) {
  raise(engine, event);
  const Snapshot* snapshot = find(event);
  if (snapshot == nullptr) return;
  if (snapshot->implied.semaphore != kNoSemaphore) raise(engine, snapshot->implied);
  if (snapshot->poster == engine) return;
  const std::size_t poster = index_of(snapshot->poster);
  std::size_t& merged = merged_[index_of(engine)][poster];
  for (; merged < snapshot->log_size; ++merged) raise(engine, log_[poster][merged]);
}

void Knowledge::posted(Engine poster, Event event) {
  snapshots_[event.semaphore].push_back(
      {event.value, poster, log_[index_of(poster)].size(), {kNoSemaphore, 0}});
}

void Knowledge::implies(Event event, Event implied) {
  std::vector<Snapshot>& list = snapshots_[event.semaphore];
  if (!list.empty() && list.back().value == event.value) list.back().implied = implied;
}

void Knowledge::shift(const std::vector<std::int64_t>& above, const std::vector<std::int64_t>& by) {
  for (auto& list : snapshots_) list.clear();
  for (auto& log : log_) log.clear();
  merged_ = {};
  for (auto& clock : known_)
    for (std::size_t s = 0; s < clock.size(); ++s)
      if (clock[s] > above[s]) clock[s] += by[s];
}

}  // namespace trn
