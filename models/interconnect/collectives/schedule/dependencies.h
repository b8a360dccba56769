// Which steps wait for which, seen from the step that is waited for.
#pragma once

#include <cstdint>
#include <vector>

#include "models/interconnect/collectives/schedule/schedule.h"

namespace trn {

class Dependencies {
 public:
  explicit Dependencies(const Schedule& schedule);

  const std::vector<std::uint32_t>& after_arrival(std::uint32_t step, std::uint32_t destination) const {
    return received_[first_[step] + destination];
  }
  const std::vector<std::uint32_t>& after_sending(std::uint32_t step) const { return own_[step]; }

  // Open dependencies of the step on a rank: those steps that send something to it, or that it executes
  // itself.
  std::uint32_t count(std::uint32_t step, std::uint32_t rank) const;
  bool executes(std::uint32_t step, std::uint32_t rank) const;

 private:
  const Schedule& schedule_;
  std::vector<std::uint32_t> first_;  // by step: its first destination in `received_`
  std::vector<std::vector<std::uint32_t>> received_, own_;
  std::vector<std::uint32_t> everywhere_;  // by step: dependencies that every rank has
};

}  // namespace trn
