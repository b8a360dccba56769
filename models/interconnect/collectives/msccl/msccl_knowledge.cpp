#include "models/interconnect/collectives/msccl/msccl_knowledge.h"

#include <algorithm>

namespace trn {

MscclKnowledge::MscclKnowledge(const MscclMoves& all) : all_(all), known_(all.moves.size()) {
  std::vector<std::uint32_t> length(all.chains);
  for (const MscclMove& move : all.moves) place_.push_back(length[move.chain]++);
  for (std::vector<std::uint32_t>& known : known_) known.resize(all.chains);
}

void MscclKnowledge::add(std::uint32_t move, std::uint32_t waits_for) {
  const std::vector<std::uint32_t>& theirs = known_[waits_for];
  std::vector<std::uint32_t>& ours = known_[move];
  for (std::uint32_t c = 0; c < all_.chains; ++c) ours[c] = std::max(ours[c], theirs[c]);
  std::uint32_t& prefix = ours[all_.moves[waits_for].chain];
  if (prefix == place_[waits_for]) ++prefix;
}

}  // namespace trn
