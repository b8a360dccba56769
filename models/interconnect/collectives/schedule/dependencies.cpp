#include "models/interconnect/collectives/schedule/dependencies.h"

#include <algorithm>

#include "base/error.h"

namespace trn {

Dependencies::Dependencies(const Schedule& schedule)
    : schedule_(schedule), own_(schedule.steps.size()), everywhere_(schedule.steps.size()) {
  for (const Step& step : schedule.steps) {
    first_.push_back(static_cast<std::uint32_t>(received_.size()));
    received_.resize(received_.size() + step.destinations.size());
  }
  for (std::uint32_t s = 0; s < schedule.steps.size(); ++s) {
    for (const Step::Arrival& a : schedule.steps[s].received) {
      TRN_CHECK(a.step < s && a.destination < schedule.steps[a.step].destinations.size(),
                "a dependency forwards");
      received_[first_[a.step] + a.destination].push_back(s);
      if (schedule.steps[a.step].executors.empty()) ++everywhere_[s];
    }
    for (const std::uint32_t before : schedule.steps[s].own) {
      TRN_CHECK(before < s, "a dependency forwards");
      own_[before].push_back(s);
      if (schedule.steps[before].executors.empty()) ++everywhere_[s];
    }
  }
}

bool Dependencies::executes(std::uint32_t step, std::uint32_t rank) const {
  const std::vector<std::uint32_t>& executors = schedule_.steps[step].executors;
  return executors.empty() || std::binary_search(executors.begin(), executors.end(), rank);
}

std::uint32_t Dependencies::count(std::uint32_t step, std::uint32_t rank) const {
  std::uint32_t open = everywhere_[step];
  for (const Step::Arrival& a : schedule_.steps[step].received) {
    const Step& sender = schedule_.steps[a.step];
    for (const std::uint32_t executor : sender.executors)
      if (schedule_.resolve(sender.destinations[a.destination].at, executor) == rank) ++open;
  }
  for (const std::uint32_t before : schedule_.steps[step].own)
    if (!schedule_.steps[before].executors.empty() && executes(before, rank)) ++open;
  return open;
}

}  // namespace trn
