// Executes a schedule on data: what every rank holds in the end.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "models/interconnect/collectives/schedule/dependencies.h"

namespace trn {

using RankBytes = std::vector<std::vector<std::uint8_t>>;  // by rank

// Bytes are added modulo 256, so that a contribution that is lost or counted twice shows. Steps run in any
// order that their dependencies allow, chosen by `random`. Reading what nobody has written yet is an
// InternalError, and so is a schedule that gets stuck.
class ScheduleDataRun {
 public:
  // `output`, `scratch`: what lies in these buffers before.
  ScheduleDataRun(const Schedule& schedule, RankBytes input, RankBytes output, RankBytes scratch = {});
  void run(std::mt19937& random);
  const RankBytes& input() const { return input_; }  // of schedules that work in place, the result
  const RankBytes& output() const { return output_; }
  const RankBytes& scratch() const { return scratch_; }

 private:
  struct Task {
    std::uint32_t step, rank;
  };
  std::size_t key(std::uint32_t step, std::uint32_t rank) const {
    return std::size_t{step} * schedule_.ranks + rank;
  }
  void execute(const Task& task);
  void read(const Task& task, std::size_t source, std::vector<std::uint8_t>& sum);
  void write(const Task& task, std::size_t destination, const std::vector<std::uint8_t>& sum);
  void unlock(const std::vector<std::uint32_t>& steps, std::uint32_t rank);
  std::vector<std::uint8_t>& buffer(std::uint32_t number, std::uint32_t rank);

  const Schedule& schedule_;
  const Dependencies dependencies_;
  RankBytes input_, output_, scratch_;
  std::vector<std::vector<std::uint8_t>> left_;  // by key: what the step left at the rank
  std::vector<std::uint32_t> waiting_;           // by key: open dependencies
  std::vector<Task> ready_;
  std::size_t open_ = 0;
  std::vector<std::uint32_t> blocks_;
};

}  // namespace trn
