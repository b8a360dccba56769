// An HBM stack as its controller sees it: independent channels, banks in groups, JEDEC-class timings.
// Sources of the figures: docs/calibration.md, hbm.dram.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/config/config_document.h"
#include "base/units.h"

namespace trn {

// A run of address bits. Field order, lowest bits first, is the interleave.
enum class AddressField : std::uint8_t { kChannel, kBankGroup, kBank, kColumn, kRow };
struct AddressBits {
  AddressField field;
  std::uint32_t bits;  // kRow: what is left
};

enum class RefreshMode : std::uint8_t { kNone, kAllBank, kPerBank };

// Times in cycles of the command clock, rounded up from the nanoseconds of the configuration.
struct DramTiming {
  std::uint64_t burst;  // a burst's data on the bus: tCCD_S
  std::uint64_t ccd_l;  // between two bursts of one bank group
  std::uint64_t cl, cwl;
  std::uint64_t rcd, rp, ras;
  std::uint64_t rrd_s, rrd_l, faw;
  std::uint64_t wr, rtp;
  std::uint64_t wtr_s, wtr_l;  // end of write data to a read
  std::uint64_t bus_turn;      // idle data bus between a read and a write
  std::uint64_t rfc, rfc_pb, refi;
};

struct DramConfig {
  std::string standard;        // HBM3E
  std::uint64_t channels = 1;  // (pseudo-)channels that work on their own
  std::uint64_t bank_groups = 1;
  std::uint64_t banks_per_group = 1;
  std::uint64_t row_bytes = 1024;  // of one bank
  std::uint64_t burst_bytes = 32;
  MegabytesPerSecond rate;          // of the whole stack, peak
  MegabytesPerSecond channel_rate;  // at which the timings hold in nanoseconds
  DramTiming t{};
  RefreshMode refresh = RefreshMode::kNone;
  std::vector<AddressBits> map;
  bool hash = false;  // higher bits are folded into channel and bank, so that no stride hits one of them only
  std::uint64_t queue_entries = 64;  // bursts the controller of a channel looks at, reads and writes apart
  std::uint64_t write_high = 48;     // it turns to writes with so many of them waiting,
  std::uint64_t write_low = 16;      // and back to reads with so few left
  std::uint64_t max_row_hits = 64;   // then an older request to another row of the bank comes first
  std::uint64_t controller_latency = 0;  // cycles a request spends outside of the channel, both ways

  std::uint64_t banks() const { return bank_groups * banks_per_group; }
  // Edge n of the command clock, rounded up.
  Picoseconds time_of(std::uint64_t cycle) const;
};

// `node` is hbm.dram of a machine, or dram of a device file; `rate` is the stack's peak. Nanoseconds become
// cycles at the device's own channel_mb_per_s: a stack that is made faster as a whole takes all of its
// timings along, as a wider one would; faster pins alone are a change of channel_mb_per_s too.
DramConfig parse_dram(ConfigNode node, MegabytesPerSecond rate);

// So many stacks, a power of two, with the addresses interleaved over all of their channels.
DramConfig interleaved(DramConfig stack, std::uint64_t stacks);

}  // namespace trn
