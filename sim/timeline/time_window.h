// The part of a run that is asked for.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/units.h"

namespace trn {

struct TimeWindow {
  Picoseconds from;
  Picoseconds to = Picoseconds::max();

  bool whole() const { return from == Picoseconds(0) && to == Picoseconds::max(); }
  bool overlaps(Picoseconds begin, Picoseconds end) const {
    return begin < to && (end > from || (begin == end && begin >= from));
  }
};

// "0us:200us", "1.5ms:", ":3s": numbers with ps, ns, us, ms or s, rounded to a picosecond; nothing is the
// beginning or the end. UsageErrors name `option`.
TimeWindow parse_time_window(const std::string& option, const std::string& text);

// "0,3,8-11", ascending and once each. UsageErrors name `option`.
std::vector<std::uint64_t> parse_rank_list(const std::string& option, const std::string& text);

// 1234 ps -> "1.234ns": what parse_time_window reads, exactly.
std::string window_time(Picoseconds time);

}  // namespace trn
