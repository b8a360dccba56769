// One HBM channel and its controller: row hits first, then the oldest; writes in batches; refresh in time.
// Event-driven: `next` says when the next command is due, nothing is done in between. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "models/memory/hbm/dram_timing.h"

namespace trn {

struct ChannelBurst {
  std::uint64_t row = 0;
  std::uint64_t arrived = 0;
  std::uint32_t bank = 0;
  std::uint32_t request = 0;  // returned when its data are through
  bool posted = false;        // a write: returned when the controller has taken it into its queue instead
};

struct BurstDone {
  std::uint64_t cycle;  // end of its data on the bus; of a posted write: as if they followed at once
  std::uint32_t request;
};

struct ChannelStats {
  std::uint64_t reads = 0, writes = 0;  // bursts
  std::uint64_t activations = 0;
  std::uint64_t refreshes = 0;
  std::array<std::uint64_t, kDramLimits.size()> lost{};  // cycles of an idle data bus, by what made it wait
  std::uint64_t last = 0;                                // end of the last data
};

class HbmChannel {
 public:
  explicit HbmChannel(const DramConfig& dram);

  // `burst.arrived` never lies before a command already issued. Is it in the controller's queue?
  bool push(const ChannelBurst& burst, bool write);
  // When a write posted at `cycle` is known to be.
  std::uint64_t posted(std::uint64_t cycle) const { return cycle + dram_.t.cwl + dram_.t.burst; }
  // The cycle of the next command; kNeverCycle when there is nothing to do.
  std::uint64_t next() const { return next_; }
  // Issues what is due at next(): at most one column and one row command, which have buses of their own.
  void step(std::vector<BurstDone>& done);

  const ChannelStats& stats() const { return stats_; }

 private:
  static constexpr std::uint16_t kNone = 0xffff;
  struct Entry {
    ChannelBurst burst;
    std::uint64_t age = 0;
    std::uint16_t next = kNone;  // of the same bank and direction, by age
  };
  struct Bank {
    std::array<std::uint16_t, 2> first{kNone, kNone}, last{kNone, kNone};
    std::uint16_t hit = kNone;  // oldest of the current direction for the open row
    std::uint64_t hits = 0;     // bursts since the row was opened
  };

  void admit(const ChannelBurst& burst, bool write);
  void turn();
  void examine(std::size_t bank);
  void plan();
  void update_refresh_mask(std::uint64_t cycle);
  void issue_cas(std::uint64_t cycle, std::vector<BurstDone>& done);
  void account_gap(const ChannelBurst& burst, std::uint64_t cycle);
  void issue_row(std::uint64_t cycle);
  void remove(std::size_t bank, std::uint16_t slot, std::vector<BurstDone>& done);

  DramConfig dram_;
  ChannelTiming timing_;
  RefreshSchedule refresh_;
  ChannelStats stats_;
  std::vector<Entry> entries_;
  std::vector<std::uint16_t> free_;
  std::array<std::deque<ChannelBurst>, 2> backlog_;  // beyond what the controller looks at
  std::array<std::uint64_t, 2> waiting_{};           // in the window: reads, writes
  bool writing_ = false;
  std::vector<Bank> banks_;
  std::uint64_t cas_mask_ = 0,
                row_mask_ = 0;      // banks whose next command is a burst, or opens or closes a row
  std::uint64_t refresh_mask_ = 0;  // banks that close for a refresh that is due
  std::uint64_t ages_ = 0;
  std::uint64_t column_bus_ = 0, row_bus_ = 0;  // free from
  std::uint64_t stepped_ = 0;                   // all commands before this cycle are issued
  std::uint64_t next_ = kNeverCycle;
};

}  // namespace trn
