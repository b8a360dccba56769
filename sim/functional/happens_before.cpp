#include "sim/functional/happens_before.h"

#include <algorithm>
#include <tuple>

namespace trn {
namespace {

constexpr std::uint32_t kLanes = 16;  // DMA engines of a core: each adds its part when its bytes have arrived

std::uint32_t engine_thread(const ExecutionStep& step) {
  return static_cast<std::uint32_t>(step.core * kEngineCount + index_of(step.engine));
}

void raise(std::vector<std::uint32_t>& clock, const std::vector<std::uint32_t>& other) {
  for (std::size_t i = 0; i < clock.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

}  // namespace

HappensBefore::HappensBefore(const std::vector<ExecutionStep>& steps, std::size_t cores) : steps_(steps) {
  number_steps(cores);
  collect_posts();
  // First what was observed; then, as often as it takes, only what the knowledge found so far guarantees.
  // Each pass knows less than the one before.
  pass(nullptr);
  for (;;) {
    const std::vector<Clock> before = clocks_;
    pass(&before);
    if (clocks_ == before) return;
  }
}

void HappensBefore::number_steps(std::size_t cores) {
  const auto engines = static_cast<std::uint32_t>(cores * kEngineCount);
  std::vector<std::uint32_t> issued(engines);
  std::map<std::tuple<std::uint32_t, std::uint16_t, std::uint16_t>, std::pair<std::uint32_t, std::uint32_t>>
      streams;
  components_ = std::size_t{2} * engines;
  for (const ExecutionStep& step : steps_) {
    if (!step.transfer) {
      const std::uint32_t thread = engine_thread(step);
      places_.push_back({thread, engines + thread, ++issued[thread]});
      continue;
    }
    const Instruction& i = step.instruction;
    auto [at, fresh] = streams.try_emplace({step.core, i.post.semaphore, i.queue}, 0, 0);
    if (fresh) at->second.first = static_cast<std::uint32_t>(components_++);
    places_.push_back({at->second.first, at->second.first, ++at->second.second});
  }
}

void HappensBefore::collect_posts() {
  for (std::uint32_t s = 0; s < steps_.size(); ++s) {
    const ExecutionStep& step = steps_[s];
    const Post& post = step.instruction.post;
    if (step.instruction.opcode == Opcode::kClearSemaphore)
      clears_[{step.core, step.instruction.control.semaphore}].push_back(s);
    if (post.semaphore == kNoSemaphore || (step.instruction.opcode == Opcode::kDma && !step.transfer))
      continue;
    const std::uint32_t core = post.sibling ? 1 - step.core : step.core;
    const bool split = step.transfer && post.increment % kLanes == 0;
    // Posts of an engine at read and at complete are threads of their own: one may overtake the other.
    const std::uint32_t thread =
        step.transfer ? places_[s].done
                      : 2 * engine_thread(step) + (post.when == PostTime::kRead ? 1u : 0u) + 1'000'000u;
    posts_[{core, post.semaphore}].push_back(
        {s, thread, split ? post.increment / kLanes : post.increment, split ? kLanes : 1u});
  }
}

// How often the semaphore has been cleared before. (A clear that something may still overtake is a hazard of
// its own.)
std::size_t HappensBefore::epoch(std::uint32_t core, std::uint16_t semaphore, std::uint32_t step) const {
  const auto found = clears_.find({core, semaphore});
  if (found == clears_.end()) return 0;
  return static_cast<std::size_t>(std::lower_bound(found->second.begin(), found->second.end(), step) -
                                  found->second.begin());
}

// True if the clock at `post_step`'s issue already contains the issue of the waiting step.
bool HappensBefore::issued_after(std::uint32_t post_step, std::uint32_t wait_step,
                                 const std::vector<Clock>* before) const {
  if (before == nullptr) return post_step > wait_step;
  const ExecutionStep& post = steps_[post_step];
  const std::uint32_t issue = post.transfer ? post.trigger : post_step;
  const ExecutionStep& wait = steps_[wait_step];
  if (engine_thread(steps_[issue]) == engine_thread(wait)) return issue >= wait_step;
  return (*before)[issue][places_[wait_step].read] >= places_[wait_step].number;
}

// True if `later` is only posted by something that has waited for the result behind `earlier`.
bool HappensBefore::needs(const Arrival& later, const Arrival& earlier,
                          const std::vector<Clock>* before) const {
  const std::uint32_t issue = steps_[later.step].transfer ? steps_[later.step].trigger : later.step;
  const Place& place = places_[earlier.step];
  const Clock& clock = before == nullptr ? clocks_[issue] : (*before)[issue];
  return !clock.empty() && clock[place.done] >= place.number;
}

// A post has certainly happened if the wait's value cannot be reached without it: by all posts that may have
// happened by then, less this one, those that come after it on its thread, and those that themselves need it.
// A transfer's lanes are alike: one may lag.
void HappensBefore::wait(std::uint32_t step, Clock& clock, const std::vector<Clock>* before) {
  const ExecutionStep& waiting = steps_[step];
  const Wait& wait = waiting.instruction.wait;
  if (wait.semaphore == kNoSemaphore || wait.value <= 0) return;
  const auto found = posts_.find({waiting.core, wait.semaphore});
  if (found == posts_.end()) return;
  std::vector<const Arrival*> possible;
  std::int64_t sum = 0;
  const std::size_t cleared = epoch(waiting.core, wait.semaphore, step);
  for (const Arrival& post : found->second) {
    if (epoch(waiting.core, wait.semaphore, post.step) != cleared) continue;
    if (issued_after(post.step, step, before)) continue;
    possible.push_back(&post);
    sum += static_cast<std::int64_t>(post.increment) * post.lanes;
  }
  std::map<std::uint32_t, std::int64_t>
      from_here;  // by thread: one lane of the possible posts not yet passed
  for (const Arrival* post : possible) from_here[post->thread] += post->increment;
  for (std::size_t p = 0; p < possible.size() && possible[p]->step < step;
       ++p) {  // what is certain was observed
    const Arrival& post = *possible[p];
    std::int64_t& rest = from_here[post.thread];
    std::int64_t without = sum - rest;
    if (without >= wait.value && post.lanes > 1)
      for (std::size_t q = p + 1; q < possible.size() && without >= wait.value; ++q)
        if (needs(*possible[q], post, before))
          without -= static_cast<std::int64_t>(possible[q]->increment) *
                     (possible[q]->lanes - (possible[q]->thread == post.thread ? 1 : 0));
    rest -= post.increment;
    if (without >= wait.value) continue;
    raise(clock, clocks_[post.step]);
    const Place& place = places_[post.step];
    clock[place.read] = std::max(clock[place.read], place.number);
    const bool complete =
        steps_[post.step].transfer || steps_[post.step].instruction.post.when == PostTime::kComplete;
    if (complete) clock[place.done] = std::max(clock[place.done], place.number);
  }
}

void HappensBefore::pass(const std::vector<Clock>* before) {
  std::map<std::uint32_t, Clock> engines;
  clocks_.assign(steps_.size(), {});
  for (std::uint32_t s = 0; s < steps_.size(); ++s) {
    const ExecutionStep& step = steps_[s];
    if (step.transfer) {
      clocks_[s] = clocks_[step.trigger];
      continue;
    }
    Clock& clock = engines.try_emplace(engine_thread(step), components_, 0).first->second;
    wait(s, clock, before);
    clocks_[s] = clock;
    // In order: when the next one issues, this one has read its operands.
    clock[places_[s].read] = places_[s].number;
  }
}

bool HappensBefore::read_before(std::uint32_t earlier, std::uint32_t later) const {
  return clocks_[later][places_[earlier].read] >= places_[earlier].number;
}

bool HappensBefore::complete_before(std::uint32_t earlier, std::uint32_t later) const {
  return clocks_[later][places_[earlier].done] >= places_[earlier].number;
}

}  // namespace trn
