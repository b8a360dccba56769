// How large a timeline becomes, before it is written, and what to do about one that is too large.
#pragma once

#include <string>

#include "sim/machine/run_listener.h"
#include "sim/timeline/timeline_options.h"

namespace trn {

struct ExpectedSize {
  std::uint64_t instructions = 0, transfers = 0;
  std::uint64_t bytes() const;
};

// Of all instructions and transfers of these ranks; loops that a register ends count once, the moves of
// collectives not at all.
ExpectedSize expected_size(const Job& job, const std::vector<std::uint64_t>& ranks);

// CapacityError, with the ways out, if that is more than allowed.
void check_size(const ExpectedSize& size, const TimelineOptions& options);
// The same for one that was found too large at this time of the run.
std::string too_large(const TimelineOptions& options, Picoseconds reached);

}  // namespace trn
