#include "models/interconnect/collectives/schedule/teams.h"

#include "base/error.h"

namespace trn {

Teams Teams::strided(std::uint32_t stride, std::uint32_t size) {
  TRN_CHECK(stride > 0 && size > 0, "a team of nobody");
  Teams teams;
  teams.size_ = size;
  teams.stride_ = stride;
  return teams;
}

Teams Teams::ordered(std::vector<std::uint32_t> order, std::uint32_t size) {
  TRN_CHECK(size > 0 && !order.empty() && order.size() % size == 0, "teams of unequal size");
  Teams teams;
  teams.size_ = size;
  teams.index_.assign(order.size(), static_cast<std::uint32_t>(order.size()));
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    TRN_CHECK(order[i] < order.size() && teams.index_[order[i]] == order.size(), "a rank in two teams");
    teams.index_[order[i]] = i;
  }
  teams.order_ = std::move(order);
  return teams;
}

}  // namespace trn
