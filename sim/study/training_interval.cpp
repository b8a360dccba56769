#include "sim/study/training_interval.h"

#include <algorithm>
#include <array>

#include "sim/run/unannounced.h"
#include "sim/study/fork_pool.h"

namespace trn {

std::optional<TokensInterval> training_interval(const TrainingQuestion& question, const Machine& machine) {
  const std::vector<ConfigRange> ranges = ranges_of_training(machine.document, machine.shape);
  if (std::none_of(ranges.begin(), ranges.end(), [](const ConfigRange& r) { return r.in_interval; }))
    return std::nullopt;
  const TrainingSetting setting = training_setting(question, machine.config);
  const auto tokens_at = [&](std::size_t i) {
    const RangeEnd end = i == 0 ? RangeEnd::kPessimistic : RangeEnd::kOptimistic;
    const MachineConfig there = parse_machine(at_end(machine.document, ranges, end), machine.shape);
    return std::to_string(simulate_training(setting.model, setting.plan, there).tokens_per_second());
  };
  std::array<double, 2> tokens{};
  TokensInterval interval{};
  run_forked(2, 0, tokens_at, [&](std::size_t i, const WorkResult& result) {
    if (result.ok())
      tokens[i] = std::stod(result.text);
    else
      interval.problem = result.text.substr(0, result.text.find('\n'));
  });
  interval.pessimistic = tokens[0];
  interval.optimistic = tokens[1];
  return interval;
}

}  // namespace trn
