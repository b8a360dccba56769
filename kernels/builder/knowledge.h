// What each engine knows to have happened: the happens-before relation behind "no wait that another implies".
#pragma once

#include <array>
#include <vector>

#include "kernels/builder/tile.h"

namespace trn {

// One vector clock an engine over all semaphores of a core. Forgetting is always safe: it costs a wait.
class Knowledge {
 public:
  explicit Knowledge(std::size_t semaphores);

  bool knows(Engine engine, Event event) const {
    return known_[index_of(engine)][event.semaphore] >= event.value;
  }

  // The engine has waited for `event`; it also learns what the poster knew.
  void learn(Engine engine, Event event);

  // `event` will be posted by an instruction that `poster` issues now (a transfer: triggers now).
  void posted(Engine poster, Event event);

  // The same instruction order implies that `implied` has happened whenever `event` has.
  void implies(Event event, Event implied);

  // After a folded loop: what is known above `above` has moved on by `by`. What the posters knew is
  // forgotten.
  void shift(const std::vector<std::int64_t>& above, const std::vector<std::int64_t>& by);

 private:
  struct Snapshot {
    std::int64_t value;
    Engine poster;
    std::size_t log_size;  // the poster's log when it issued
    Event implied{kNoSemaphore, 0};
  };
  void raise(Engine engine, Event event);
  const Snapshot* find(Event event) const;

  std::array<std::vector<std::int64_t>, kEngineCount> known_;
  std::array<std::vector<Event>, kEngineCount> log_;  // everything the engine learned, in order
  std::array<std::array<std::size_t, kEngineCount>, kEngineCount> merged_{};  // of another's log
  std::vector<std::vector<Snapshot>> snapshots_;  // by semaphore, values ascending
};

}  // namespace trn
