// Stages to steps.
#include <algorithm>

#include "base/error.h"
#include "models/interconnect/collectives/schedule/plan.h"

namespace trn {
namespace {

using Arrivals = std::vector<Step::Arrival>;

// One slice of one chain.
class ChainSlice {
 public:
  // `before`: the steps of the slice before, whose DMA rings this one follows.
  ChainSlice(const Chain& chain, Part part, const std::vector<std::uint32_t>& before, Schedule& out)
      : chain_(chain), part_(part), before_(before), out_(out) {}

  void reduce_scatter(bool gather_follows) {
    for (std::size_t k = 0; k < chain_.stages.size(); ++k) {
      switch (chain_.stages[k].kind) {
        case Stage::Kind::kInPlace:
          TRN_CHECK(k == 0, "data is read in place by the first stage only");
          read_in_place(k);
          break;
        case Stage::Kind::kRing:
          ring_reduce(k);
          break;
        case Stage::Kind::kExchange:
          exchange_reduce(k);
          break;
      }
    }
    // A lone first copy of the all-gather writes the sum here as well; else it is written on its own.
    if (!(gather_follows && first_copy_is_alone())) write_sum(kOutput);
  }

  void all_gather() {
    for (std::size_t k = chain_.stages.size(); k-- > 0;) {
      const Stage& stage = chain_.stages[k];
      if (stage.kind == Stage::Kind::kRing)
        ring_gather(k);
      else if (!(k == 0 && duplicated()))
        exchange_gather(k);
    }
  }

  // The root hands every rank its block.
  void scatter(std::uint32_t root) {
    Arrivals handed;
    for (std::uint32_t r = 0; r < out_.ranks; ++r) {
      if (r == root || out_.layout.source(r, r, {}).length == 0) continue;
      handed.push_back(
          {add({{Place::self(), kOutput}}, {{Place::rank(r), kOutput}}, {Place::rank(r), {}}, {}), 0});
      out_.steps.back().executors = {root};
    }
    ready_ = std::move(handed);
    for (std::size_t s = 1; s < ready_.size(); ++s) out_.steps[ready_[s].step].triggered = false;
  }

  // Every rank hands the root its block.
  void gather(std::uint32_t root) {
    for (std::uint32_t r = 0; r < out_.ranks; ++r) {
      if (r == root || out_.layout.source(r, r, {}).length == 0) continue;
      add({{Place::self(), kOutput}}, {{Place::rank(root), kOutput}}, {Place::self(), {}}, ready_);
      out_.steps.back().executors = {r};
    }
  }

  const std::vector<std::uint32_t>& steps() const { return steps_; }

 private:
  const Teams& teams(std::size_t k) const { return out_.teams[chain_.stages[k].teams]; }
  Place teammate(std::size_t k, std::int64_t offset) const {
    return Place::teammate(chain_.stages[k].teams, offset);
  }
  // The data of a rank once it has passed stage k, going by the stages after it.
  Blocks blocks(Place first, std::size_t k) const {
    Blocks b{first, {}};
    for (std::size_t deeper = k + 1; deeper < chain_.stages.size(); ++deeper)
      b.over.push_back(chain_.stages[deeper].teams);
    return b;
  }
  bool duplicated() const {
    return chain_.stages[0].kind == Stage::Kind::kInPlace && chain_.stages[0].duplicate;
  }
  bool first_copy_is_alone() const {
    const Stage& inner = chain_.stages.back();
    return inner.kind == Stage::Kind::kRing ||
           (inner.kind == Stage::Kind::kExchange && out_.teams[inner.teams].size() == 2);
  }

  std::uint32_t add(std::vector<Piece> sources, std::vector<Piece> destinations, Blocks blocks,
                    Arrivals received) {
    Step step;
    step.sources = std::move(sources);
    step.destinations = std::move(destinations);
    const auto number = static_cast<std::uint32_t>(out_.steps.size());
    for (Piece& piece : step.destinations)
      if (piece.buffer == kInput) piece.buffer = number;  // left here for whoever reads it next
    step.blocks = std::move(blocks);
    step.part = part_;
    step.received = std::move(received);
    if (steps_.size() < before_.size()) step.own = {before_[steps_.size()]};
    out_.steps.push_back(std::move(step));
    steps_.push_back(number);
    return number;
  }

  void read_in_place(std::size_t k) {
    for (std::uint32_t o = 1; o < teams(k).size(); ++o) partial_.push_back({teammate(k, o), kInput});
  }

  // What has been summed up so far takes the place of its parts.
  void write_sum(std::uint32_t buffer) {
    if (partial_.size() < 2 && buffer != kOutput) return;
    while (partial_.size() > kMaxSources) {
      const std::vector<Piece> first(partial_.begin(), partial_.begin() + kMaxSources);
      const std::uint32_t step = add(first, {{Place::self(), kInput}}, blocks(Place::self(), done_), ready_);
      partial_.erase(partial_.begin(), partial_.begin() + kMaxSources);
      partial_.push_back({Place::self(), step});
      ready_.push_back({step, 0});
    }
    const std::uint32_t step = add(partial_, {{Place::self(), buffer}}, blocks(Place::self(), done_), ready_);
    partial_ = {{Place::self(), buffer == kOutput ? kOutput : step}};
    ready_ = {{step, 0}};
  }

  void ring_reduce(std::size_t k) {
    if (partial_.size() >= kMaxSources) write_sum(kInput);
    const auto size = static_cast<std::int64_t>(teams(k).size());
    const std::int64_t next = chain_.stages[k].forward ? 1 : -1;
    std::uint32_t last = 0;
    for (std::int64_t i = 0; i + 1 < size; ++i) {
      std::vector<Piece> sources = partial_;
      Arrivals received = ready_;
      if (i > 0) {
        sources.push_back({Place::self(), last});
        received = {{last, 0}};
      }
      const std::uint32_t step = add(std::move(sources), {{teammate(k, next), kInput}},
                                     blocks(teammate(k, -next * (i + 1)), k), received);
      if (i > 0) out_.steps[step].own.push_back(last);
      last = step;
    }
    done_ = k;
    partial_.push_back({Place::self(), last});
    ready_.push_back({last, 0});
  }

  void exchange_reduce(std::size_t k) {
    if (partial_.size() > kMaxSources) write_sum(kInput);
    Arrivals arrived = ready_;
    std::vector<Piece> sum = partial_;
    for (std::uint32_t o = 1; o < teams(k).size(); ++o) {
      const std::uint32_t step = add(partial_, {{teammate(k, o), kInput}}, blocks(teammate(k, o), k), ready_);
      sum.push_back({Place::self(), step});
      arrived.push_back({step, 0});
    }
    done_ = k;
    partial_ = std::move(sum);
    ready_ = std::move(arrived);
  }

  // What the first copy of an all-gather reads, and whether it leaves the sum here too.
  std::vector<Piece> gather_source() const {
    return partial_.size() > 1 ? partial_ : std::vector<Piece>{{Place::self(), kOutput}};
  }

  void ring_gather(std::size_t k) {
    const auto size = static_cast<std::int64_t>(teams(k).size());
    const std::int64_t next = chain_.stages[k].forward ? 1 : -1;
    std::uint32_t last = 0;
    for (std::int64_t i = 0; i + 1 < size; ++i) {
      std::vector<Piece> destinations{{teammate(k, next), kOutput}};
      const bool sums = i == 0 && partial_.size() > 1;
      if (sums) destinations.push_back({Place::self(), kOutput});
      if (duplicated()) destinations.push_back({teammate(0, 1), kOutput});
      const std::uint32_t step = add(i == 0 ? gather_source() : std::vector<Piece>{{Place::self(), kOutput}},
                                     std::move(destinations), blocks(teammate(k, -next * i), k),
                                     i == 0 ? ready_ : Arrivals{{last, 0}});
      if (i > 0) out_.steps[step].own.push_back(last);
      if (sums) ready_.push_back({step, 1});
      last = step;
    }
    partial_ = {{Place::self(), kOutput}};
    ready_.push_back({last, 0});
    if (duplicated())  // what came last is not passed on, but still copied
      add({{Place::self(), kOutput}}, {{teammate(0, 1), kOutput}}, blocks(teammate(k, next), k), {{last, 0}});
  }

  void exchange_gather(std::size_t k) {
    Arrivals arrived = ready_;
    for (std::uint32_t o = 1; o < teams(k).size(); ++o) {
      std::vector<Piece> destinations{{teammate(k, o), kOutput}};
      const bool sums = o == 1 && partial_.size() > 1;
      if (sums) destinations.push_back({Place::self(), kOutput});
      const std::uint32_t step = add(o == 1 ? gather_source() : std::vector<Piece>{{Place::self(), kOutput}},
                                     std::move(destinations), blocks(Place::self(), k), ready_);
      out_.steps[step].triggered = o == 1;
      arrived.push_back({step, 0});
      if (sums) arrived.push_back({step, 1});
    }
    partial_ = {{Place::self(), kOutput}};
    ready_ = std::move(arrived);
  }

  const Chain& chain_;
  const Part part_;
  const std::vector<std::uint32_t>& before_;
  Schedule& out_;
  std::vector<std::uint32_t> steps_;
  std::vector<Piece> partial_{{Place::self(), kInput}};  // together the sum of what this rank has got
  Arrivals ready_;                                       // of what `partial_` names
  std::size_t done_ = 0;                                 // the last stage passed
};

std::vector<double> borders(const std::vector<Chain>& chains) {
  std::vector<double> at{0};
  for (const Chain& chain : chains) at.push_back(at.back() + chain.share);
  TRN_CHECK(at.back() > 1 - 1e-9 && at.back() < 1 + 1e-9, "the chains' shares are not the whole");
  at.back() = 1;
  return at;
}

// Calls `slice(chain, part, steps of the slice before)` for every slice; it returns its own steps. DMA rings
// are shared out by bytes, so that all chains end together: a ring a chain in all.
template <class Slice>
void for_each_slice(const std::vector<Chain>& chains, Schedule& schedule, const Slice& slice) {
  const std::vector<double> at = borders(chains);
  double all = 0;
  for (std::size_t c = 0; c < chains.size(); ++c) {
    for (const Stage& stage : chains[c].stages)
      TRN_CHECK(schedule.teams[stage.teams].size() > 1, "a stage of one rank");
    const auto slices = static_cast<double>(chains[c].slices);
    const auto border = [&](std::uint64_t s) {
      return s == chains[c].slices ? at[c + 1]
                                   : at[c] + (at[c + 1] - at[c]) * static_cast<double>(s) / slices;
    };
    std::vector<std::uint32_t> before;
    for (std::uint64_t s = 0; s < chains[c].slices; ++s) {
      before = slice(chains[c], Part{border(s), border(s + 1)}, before);
      for (const std::uint32_t step : before) {
        const double bytes =
            chains[c].share * static_cast<double>(schedule.block_count(schedule.steps[step].blocks));
        schedule.steps[step].ring_share = bytes;
        if (s == 0) all += bytes;
      }
    }
  }
  for (Step& step : schedule.steps) step.ring_share *= static_cast<double>(chains.size()) / all;
}

}  // namespace

void unroll_rooted(const std::vector<Chain>& chains, Rooted what, std::uint32_t root, Schedule& schedule) {
  schedule.symmetric = false;
  for_each_slice(chains, schedule,
                 [&](const Chain& chain, Part part, const std::vector<std::uint32_t>& before) {
                   ChainSlice slice(chain, part, before, schedule);
                   if (what == Rooted::kBroadcast) {
                     slice.scatter(root);
                     slice.all_gather();
                   } else {
                     slice.reduce_scatter(false);
                     slice.gather(root);
                   }
                   return slice.steps();
                 });
}

void unroll(const std::vector<Chain>& chains, Phases phases, Schedule& schedule) {
  for_each_slice(chains, schedule,
                 [&](const Chain& chain, Part part, const std::vector<std::uint32_t>& before) {
                   ChainSlice slice(chain, part, before, schedule);
                   if (phases != Phases::kAllGather) slice.reduce_scatter(phases == Phases::kAllReduce);
                   if (phases != Phases::kReduceScatter) slice.all_gather();
                   return slice.steps();
                 });
}

}  // namespace trn
