// What the bandwidth model takes from the channel model: how much of the stack's time a byte costs, by the
// length of the contiguous runs it moves in, by direction, and when both directions meet.
#pragma once

#include <string>
#include <vector>

#include "base/flow/turn_shape.h"
#include "models/memory/hbm/dram_config.h"

namespace trn {

struct HbmEfficiency {
  struct Row {
    std::uint64_t run_bytes;    // contiguous, at a random place; a power of two
    double read, write, mixed;  // of the peak; mixed: as many requests of one kind as of the other
  };
  std::vector<Row> rows;  // run_bytes rising
  TurnShape turning;      // how the turns' cost rises and falls with the share of writes

  // Bus time of a byte, in bytes at peak: 1 is the peak. `turn` comes on top, of both directions' bytes, when
  // as much is read as written; in part when one direction prevails.
  struct Cost {
    double read = 1, write = 1, turn = 0;
    double mixed() const { return (read + write) / 2 + turn; }
  };
  // Linear in the logarithm between two rows, the nearest row outside of them.
  Cost cost(std::uint64_t run_bytes) const;
};

// All that the efficiency depends on, as text: tells whether a stored table is this device's. The stack's
// rate is not in it: a stack that is made faster as a whole keeps its efficiency.
std::string device_text(const DramConfig& dram);

// Runs the channel model on some 25 patterns: a few seconds.
HbmEfficiency measure_efficiency(const DramConfig& dram);

// The table of configs/generated/hbm_efficiency.json for this device (scripts/hbm_efficiency.py writes it); a
// device that is not in it, as after --set hbm.dram..., is measured.
HbmEfficiency efficiency_of(const DramConfig& dram);

}  // namespace trn
