#include "models/interconnect/collectives/schedule/schedule.h"

#include <map>
#include <tuple>

namespace trn {

void Schedule::block_numbers(const Blocks& blocks, std::uint32_t executor,
                             std::vector<std::uint32_t>& out) const {
  out.assign(1, resolve(blocks.first, executor));
  for (const std::uint32_t t : blocks.over) {
    const std::size_t before = out.size();
    for (std::uint32_t further = 1; further < teams[t].size(); ++further)
      for (std::size_t i = 0; i < before; ++i) out.push_back(teams[t].teammate(out[i], further));
  }
}

std::uint64_t Schedule::block_count(const Blocks& blocks) const {
  std::uint64_t count = 1;
  for (const std::uint32_t t : blocks.over) count *= teams[t].size();
  return count;
}

std::uint64_t Schedule::bytes(const Step& step, std::uint32_t executor) const {
  return layout.even() ? layout.part_bytes(block_count(step.blocks), step.part) : bytes_exact(step, executor);
}

std::uint64_t Schedule::bytes_exact(const Step& step, std::uint32_t executor) const {
  std::vector<std::uint32_t> numbers;
  block_numbers(step.blocks, executor, numbers);
  std::uint64_t sum = 0;
  for (const std::uint32_t block : numbers) sum += layout.source(executor, block, step.part).length;
  return sum;
}

void number_patterns(Schedule& schedule) {
  using Key = std::tuple<std::vector<Place>, std::vector<Place>, double>;
  std::map<Key, std::uint32_t> known;
  for (Step& step : schedule.steps) {
    Key key{{}, {}, step.ring_share};
    for (const Piece& piece : step.sources) std::get<0>(key).push_back(piece.at);
    for (const Piece& piece : step.destinations) std::get<1>(key).push_back(piece.at);
    step.pattern = known.emplace(std::move(key), static_cast<std::uint32_t>(known.size())).first->second;
  }
  schedule.patterns = static_cast<std::uint32_t>(known.size());
}

}  // namespace trn
