#include "models/interconnect/collectives/msccl/msccl_additions.h"

#include <algorithm>
#include <optional>

#include "base/error.h"

namespace trn {
namespace {

void sort_unique(std::vector<std::uint32_t>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

bool adds(const MscclMove& move) { return move.sources.size() > 1; }

// Additions stand right before the first move that waits for them, so that one which sends the sum has
// nothing else to wait for in between.
std::vector<std::uint32_t> order_with_late_additions(const std::vector<MscclMove>& moves) {
  std::vector<std::uint32_t> order, stack;
  std::vector<std::size_t> next(moves.size());  // of `after` to look at
  std::vector<char> placed(moves.size());
  const auto place = [&](std::uint32_t last) {
    stack.assign(1, last);
    while (!stack.empty()) {
      const std::uint32_t m = stack.back();
      while (next[m] < moves[m].after.size() && placed[moves[m].after[next[m]]]) ++next[m];
      if (next[m] < moves[m].after.size()) {
        stack.push_back(moves[m].after[next[m]]);
        continue;
      }
      stack.pop_back();
      placed[m] = 1;
      order.push_back(m);
    }
  };
  for (std::uint32_t m = 0; m < moves.size(); ++m)
    if (!adds(moves[m])) place(m);
  for (std::uint32_t m = 0; m < moves.size(); ++m)
    if (!placed[m]) place(m);
  return order;
}

void postpone_additions(std::vector<MscclMove>& moves) {
  const std::vector<std::uint32_t> order = order_with_late_additions(moves);
  std::vector<std::uint32_t> place(moves.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<MscclMove> sorted;
  for (const std::uint32_t m : order) {
    MscclMove& move = sorted.emplace_back(std::move(moves[m]));
    for (std::uint32_t& before : move.after) before = place[before];
    std::sort(move.after.begin(), move.after.end());
  }
  moves = std::move(sorted);
}

// Lets the moves that send a sum on do the addition too.
class Joiner {
 public:
  Joiner(const MscclProgram& program, std::vector<MscclMove>& moves)
      : program_(program), moves_(moves), number_(moves_.size()), gone_(moves_.size()) {
    for (std::uint32_t m = 0; m < number_.size(); ++m) number_[m] = m;
    for (std::uint32_t m = 0; m < number_.size(); ++m) {
      renumber(m);
      if (const std::optional<std::uint32_t> sum = sum_sent_by(m)) join(*sum, m);
    }
    compact();
  }

 private:
  void renumber(std::uint32_t m) {
    for (std::uint32_t& before : moves_[m].after) before = number_[before];
    sort_unique(moves_[m].after);
  }

  // Where all else that the move waits for is older than the sum, it may as well stand in the sum's place.
  std::optional<std::uint32_t> sum_sent_by(std::uint32_t m) const {
    const MscclMove& send = moves_[m];
    if (adds(send) || send.after.empty() || !is_remote(send)) return {};
    const MscclMove& sum = moves_[send.after.back()];
    if (!adds(sum) || sum.destinations.size() != 1 || sum.executor != send.executor || is_remote(sum) ||
        sum.count != send.count)
      return {};
    const MscclPlace& to = sum.destinations[0].place;
    const MscclPlace& from = send.sources[0].place;
    if (to.buffer != from.buffer || to.chunk != from.chunk) return {};
    return send.after.back();
  }
  static bool is_remote(const MscclMove& m) { return m.destinations[0].gpu != m.executor; }

  void join(std::uint32_t sum, std::uint32_t send) {
    MscclMove& joined = moves_[sum];
    const MscclSpot kept = joined.destinations[0];
    joined.destinations = {moves_[send].destinations[0]};
    if (!only_for_the_send(kept)) joined.destinations.push_back(kept);
    for (const std::uint32_t before : moves_[send].after)
      if (before != sum) joined.after.push_back(before);
    sort_unique(joined.after);
    number_[send] = sum;
    gone_[send] = 1;
  }
  // Scratch that the file does not know has one reader.
  bool only_for_the_send(const MscclSpot& spot) const {
    return spot.place.buffer == MscclBuffer::kTemp &&
           spot.place.chunk >= program_.gpus[spot.gpu].chunks[static_cast<std::size_t>(MscclBuffer::kTemp)];
  }

  void compact() {
    std::vector<std::uint32_t> place(moves_.size());
    std::uint32_t next = 0;
    for (std::uint32_t m = 0; m < place.size(); ++m) {
      place[m] = next;
      if (gone_[m]) continue;
      for (std::uint32_t& before : moves_[m].after) {
        TRN_CHECK(before < m && !gone_[before], "a move waits for a later one");
        before = place[before];
      }
      if (next != m) moves_[next] = std::move(moves_[m]);
      ++next;
    }
    moves_.resize(next);
  }

  const MscclProgram& program_;
  std::vector<MscclMove>& moves_;
  std::vector<std::uint32_t> number_;  // of the move that does its work
  std::vector<char> gone_;
};

}  // namespace

void join_msccl_additions(const MscclProgram& program, std::vector<MscclMove>& moves) {
  postpone_additions(moves);
  Joiner{program, moves};
}

}  // namespace trn
