#include "models/interconnect/collectives/collective_run.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace trn {

CollectiveRun::CollectiveRun(Traffic& traffic, const MovePaths& paths, const CollectiveResources& resources,
                             std::shared_ptr<const Schedule> schedule, CollectiveStart start,
                             std::function<void(Picoseconds)> done)
    : traffic_(traffic),
      paths_(paths),
      schedule_(std::move(schedule)),
      start_(std::move(start)),
      done_(std::move(done)),
      dependencies_(*schedule_),
      sites_(resources.memory.size()),
      states_(schedule_->steps.size() * sites_),
      lanes_(schedule_->patterns * sites_),
      trigger_free_(sites_) {
  const bool folded = resources.detail == CollectiveResources::Detail::kFolded;
  TRN_CHECK(folded ? schedule_->symmetric && start_.delay.empty() : sites_ == schedule_->ranks,
            "one chip stands for all only if all do the same");
  if (start_.listener != nullptr) started_.resize(states_.size());
}

void CollectiveRun::start(Picoseconds now) {
  for (std::uint32_t s = 0; s < schedule_->steps.size(); ++s) {
    const Step& step = schedule_->steps[s];
    const auto add = [&](std::uint32_t site) {
      State& state = states_[s * sites_ + site];
      state.waiting = dependencies_.count(s, site);
      state.earliest = now + start_.config.start_latency + start_.config.step_latency + delay(step, site);
      ++moves_;
      if (state.waiting == 0) start_at(state.earliest, s * sites_ + site);
    };
    if (step.executors.empty())
      for (std::uint32_t site = 0; site < sites_; ++site) add(site);
    else
      for (const std::uint32_t rank : step.executors) add(rank);
  }
  open_ = moves_;
  last_arrival_ = now;
  if (open_ == 0) done_(now);
}

void CollectiveRun::start_at(Picoseconds at, std::uint64_t state) {
  ++active_;
  traffic_.start_timer(at, *this, state);
}

// Nobody's memory is touched before that rank has started.
Picoseconds CollectiveRun::delay(const Step& step, std::uint32_t site) const {
  if (start_.delay.empty()) return Picoseconds(0);
  Picoseconds latest = start_.delay[site];
  for (const auto* pieces : {&step.sources, &step.destinations})
    for (const Piece& piece : *pieces)
      latest = std::max(latest, start_.delay[schedule_->resolve(piece.at, site)]);
  return latest;
}

CollectiveRun::Lane& CollectiveRun::lane(const Step& step, std::uint32_t site) {
  Lane& lane = lanes_[step.pattern * sites_ + site];
  if (lane.known) return lane;
  MovePath path = paths_.path(*schedule_, step, site);
  FlowShape shape;
  shape.weight = static_cast<double>(start_.config.packet.count()) * step.ring_share;
  shape.priority = start_.priority;
  shape.uses = std::move(path.uses);
  lane.flow_class = traffic_.mover().intern(shape);
  lane.latency = std::move(path.latency);
  lane.known = true;
  return lane;
}

// The token after the last state is the end of the collective.
void CollectiveRun::timer(std::uint64_t token, Picoseconds now) {
  if (token == states_.size()) {
    done_(now);
    return;
  }
  State& state = states_[token];
  const std::uint32_t site = site_of(token);
  const Step& step = schedule_->steps[step_of(token)];
  if (step.triggered && !state.triggered) {
    state.triggered = true;
    const Picoseconds at = std::max(now, trigger_free_[site]);
    trigger_free_[site] = at + start_.trigger;
    if (at > now) {
      traffic_.start_timer(at, *this, token);
      return;
    }
  }
  if (start_.listener != nullptr) started_[token] = now;
  const std::uint64_t bytes = schedule_->bytes(step, site);
  if (bytes == 0)  // an empty block: nothing moves, but whoever waits for it goes on
    flow_done(token, now);
  else
    traffic_.start_flow(now, lane(step, site).flow_class, Bytes(bytes), *this, token);
}

void CollectiveRun::flow_done(std::uint64_t token, Picoseconds now) {
  const std::uint32_t s = step_of(token), site = site_of(token);
  const Step& step = schedule_->steps[s];
  const Lane& path = lane(step, site);
  states_[token].done = true;
  if (start_.listener != nullptr)
    start_.listener->moved({s, site, Bytes(schedule_->bytes(step, site)), started_[token], now});
  --active_;
  unlock(dependencies_.after_sending(s), site, now, now);
  for (std::uint32_t d = 0; d < step.destinations.size(); ++d) {
    const Picoseconds arrival = now + path.latency[d];
    last_arrival_ = std::max(last_arrival_, arrival);
    const std::vector<std::uint32_t>& waiting = dependencies_.after_arrival(s, d);
    if (waiting.empty()) continue;
    const std::uint32_t receiver = schedule_->resolve(step.destinations[d].at, site);
    unlock(waiting, static_cast<std::uint32_t>(receiver % sites_), arrival + start_.config.step_latency, now);
  }
  if (--open_ == 0) traffic_.start_timer(std::max(now, last_arrival_), *this, states_.size());
}

// A dependency of these steps is met: it lets them start at `at`; the last one counts.
void CollectiveRun::unlock(const std::vector<std::uint32_t>& steps, std::uint32_t site, Picoseconds at,
                           Picoseconds now) {
  for (const std::uint32_t s : steps) {
    if (!dependencies_.executes(s, site)) continue;
    State& state = states_[s * sites_ + site];
    state.earliest = std::max(state.earliest, at);
    if (--state.waiting == 0) start_at(std::max(now, state.earliest), s * sites_ + site);
  }
}

std::vector<std::string> CollectiveRun::missing(std::uint32_t step, std::uint32_t site) const {
  std::vector<std::string> out;
  for (const Step::Arrival& a : schedule_->steps[step].received) {
    const Place to = schedule_->steps[a.step].destinations[a.destination].at;
    bool sent = false;
    for (std::uint32_t from = 0; from < sites_; ++from) {
      if (!dependencies_.executes(a.step, from) || schedule_->resolve(to, from) % sites_ != site) continue;
      sent = true;
      if (!states_[a.step * sites_ + from].done)
        out.push_back("step " + std::to_string(a.step) + " of rank " + std::to_string(from));
    }
    if (!sent) out.push_back("step " + std::to_string(a.step) + ", which sends nothing to it");
  }
  for (const std::uint32_t before : schedule_->steps[step].own)
    if (dependencies_.executes(before, site) && !states_[before * sites_ + site].done)
      out.push_back("its own step " + std::to_string(before));
  return out;
}

std::string CollectiveRun::describe_stuck() const {
  constexpr std::size_t kShown = 4;
  std::vector<std::string> first;
  for (std::uint64_t s = 0; s < states_.size() && first.size() < kShown; ++s) {
    if (states_[s].done || states_[s].waiting == 0 || !dependencies_.executes(step_of(s), site_of(s)))
      continue;
    first.push_back("rank " + std::to_string(site_of(s)) + " step " + std::to_string(step_of(s)) +
                    " waits for " + join(missing(step_of(s), site_of(s)), " and "));
  }
  if (open_ > first.size()) first.emplace_back("...");
  return with_commas(open_) + " of " + with_commas(moves_) + " moves wait for ever: " + join(first, "; ");
}

}  // namespace trn
