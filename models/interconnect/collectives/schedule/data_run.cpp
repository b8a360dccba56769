#include "models/interconnect/collectives/schedule/data_run.h"

#include <utility>

#include "base/error.h"

namespace trn {

ScheduleDataRun::ScheduleDataRun(const Schedule& schedule, RankBytes input, RankBytes output,
                                 RankBytes scratch)
    : schedule_(schedule),
      dependencies_(schedule),
      input_(std::move(input)),
      output_(std::move(output)),
      scratch_(std::move(scratch)),
      left_(schedule.steps.size() * schedule.ranks),
      waiting_(left_.size()) {
  scratch_.resize(schedule.ranks);
  for (std::uint32_t s = 0; s < schedule.steps.size(); ++s) {
    for (std::uint32_t rank = 0; rank < schedule.ranks; ++rank) {
      if (!dependencies_.executes(s, rank)) continue;
      ++open_;
      waiting_[key(s, rank)] = dependencies_.count(s, rank);
      if (waiting_[key(s, rank)] == 0) ready_.push_back({s, rank});
    }
  }
}

void ScheduleDataRun::run(std::mt19937& random) {
  while (!ready_.empty()) {
    std::swap(ready_[random() % ready_.size()], ready_.back());
    const Task task = ready_.back();
    ready_.pop_back();
    execute(task);
    --open_;
  }
  TRN_CHECK(open_ == 0, "a schedule got stuck");
}

void ScheduleDataRun::execute(const Task& task) {
  const Step& step = schedule_.steps[task.step];
  TRN_CHECK(!step.sources.empty() && step.sources.size() <= kMaxSources, "a DMA of too many sources");
  TRN_CHECK(!step.destinations.empty() && step.destinations.size() <= 2 + (step.sources.size() > 1 ? 1U : 0U),
            "a DMA of too many destinations");
  std::vector<std::uint8_t> sum(schedule_.bytes_exact(step, task.rank));
  for (std::size_t s = 0; s < step.sources.size(); ++s) read(task, s, sum);
  for (std::size_t d = 0; d < step.destinations.size(); ++d) write(task, d, sum);
  unlock(dependencies_.after_sending(task.step), task.rank);
  for (std::uint32_t d = 0; d < step.destinations.size(); ++d)
    unlock(dependencies_.after_arrival(task.step, d), schedule_.resolve(step.destinations[d].at, task.rank));
}

void ScheduleDataRun::unlock(const std::vector<std::uint32_t>& steps, std::uint32_t rank) {
  for (const std::uint32_t s : steps) {
    if (!dependencies_.executes(s, rank)) continue;
    TRN_CHECK(waiting_[key(s, rank)] > 0, "a dependency met twice");
    if (--waiting_[key(s, rank)] == 0) ready_.push_back({s, rank});
  }
}

void ScheduleDataRun::read(const Task& task, std::size_t source, std::vector<std::uint8_t>& sum) {
  const Step& step = schedule_.steps[task.step];
  const Piece& piece = step.sources[source];
  const std::uint32_t rank = schedule_.resolve(piece.at, task.rank);
  const std::vector<std::uint8_t>& from = buffer(piece.buffer, rank);
  schedule_.block_numbers(step.origin(source), task.rank, blocks_);
  std::size_t at = 0;
  for (const std::uint32_t block : blocks_) {
    const ByteRange range = schedule_.layout.source(rank, block, step.part);
    TRN_CHECK(range.offset + range.length <= from.size() && at + range.length <= sum.size(),
              "a step reads what nobody has written");
    for (std::uint64_t i = 0; i < range.length; ++i, ++at)
      sum[at] = static_cast<std::uint8_t>(sum[at] + from[range.offset + i]);
  }
}

void ScheduleDataRun::write(const Task& task, std::size_t destination, const std::vector<std::uint8_t>& sum) {
  const Step& step = schedule_.steps[task.step];
  const Piece& piece = step.destinations[destination];
  const std::uint32_t rank = schedule_.resolve(piece.at, task.rank);
  std::vector<std::uint8_t>& to = buffer(piece.buffer, rank);
  if (to.empty()) to.resize(schedule_.layout.bytes());
  schedule_.block_numbers(step.target(destination), task.rank, blocks_);
  std::size_t at = 0;
  for (const std::uint32_t block : blocks_) {
    const ByteRange range = schedule_.layout.destination(rank, block, step.part);
    TRN_CHECK(range.offset + range.length <= to.size() && at + range.length <= sum.size(),
              "a step writes past a buffer");
    for (std::uint64_t i = 0; i < range.length; ++i, ++at) to[range.offset + i] = sum[at];
  }
  TRN_CHECK(at == sum.size(), "a step moves other bytes than it reads");
}

std::vector<std::uint8_t>& ScheduleDataRun::buffer(std::uint32_t number, std::uint32_t rank) {
  if (number == kInput) return input_[rank];
  if (number == kOutput) return output_[rank];
  if (number == kScratch) return scratch_[rank];
  return left_[key(number, rank)];
}

}  // namespace trn
