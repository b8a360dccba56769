// What the array's busy time went to: matmuls, transposes, the current limiter.
#pragma once

#include <algorithm>
#include <deque>

#include "models/core/engine/core_stats.h"

namespace trn {

// A transpose may run beside a matmul. Their common time is the matmul's, whichever started first.
class ArrayTime {
 public:
  struct Interval {
    Picoseconds start;
    Picoseconds first_alone;  // from here on nothing that started before is under way
    Picoseconds unlimited;    // the end without the current limiter
    Picoseconds end;
  };

  // In the order of their starts.
  void add(const Interval& i, bool matmul, EngineStats& stats) {
    while (!transposing_.empty() && transposing_.front().to <= i.start) transposing_.pop_front();
    if (matmul) give_back(i.start, i.end, stats);
    record(i.first_alone, i.unlimited, matmul ? nullptr : &EngineStats::transpose_busy, matmul, stats);
    record(std::max(i.first_alone, i.unlimited), i.end, &EngineStats::limiter_busy, matmul, stats);
  }

 private:
  using Row = Picoseconds EngineStats::*;
  struct Piece {
    Picoseconds from, to;
    Row row;
  };

  void record(Picoseconds from, Picoseconds to, Row row, bool matmul, EngineStats& stats) {
    if (row == nullptr || to <= from) return;
    stats.*row += to - from;
    if (!matmul) transposing_.push_back({from, to, row});
  }

  // What transposes were charged while this matmul runs.
  void give_back(Picoseconds from, Picoseconds to, EngineStats& stats) {
    for (Piece& piece : transposing_) {
      const Picoseconds begin = std::max(from, piece.from), end = std::min(to, piece.to);
      if (end <= begin) continue;
      stats.*piece.row = stats.*piece.row - (end - begin);
      piece.from = end;
    }
  }

  std::deque<Piece> transposing_;  // charged to transposes, and may still meet a matmul
};

}  // namespace trn
