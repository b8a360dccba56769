#include "base/flow/start_order.h"

#include <algorithm>

namespace trn {
namespace {

constexpr FlowId kNone = ~FlowId{0};
constexpr std::size_t kFew = 16;

}  // namespace

// Flows that end together mostly started together: their serial numbers are then few and far from sparse, and
// each has a slot of its own.
void StartOrder::sort(std::vector<ServiceQueue::Entry>& batch, std::vector<FlowId>& flows) {
  flows.clear();
  if (batch.size() == 1) {
    flows.push_back(batch.front().flow);
    return;
  }
  const auto earlier = [](const auto& a, const auto& b) { return a.serial < b.serial; };
  if (batch.size() > kFew) {
    const auto [first, last] = std::minmax_element(batch.begin(), batch.end(), earlier);
    const std::uint64_t from = first->serial;
    const std::uint64_t range = last->serial - from + 1;
    if (range <= 4 * batch.size()) {
      slots_.assign(range, kNone);
      for (const ServiceQueue::Entry& entry : batch) slots_[entry.serial - from] = entry.flow;
      for (const FlowId flow : slots_)
        if (flow != kNone) flows.push_back(flow);
      return;
    }
  }
  std::sort(batch.begin(), batch.end(), earlier);
  for (const ServiceQueue::Entry& entry : batch) flows.push_back(entry.flow);
}

}  // namespace trn
