// An HBM channel that looks at every cycle and every request anew. It shares the timing rules with HbmChannel
// and nothing else; both must do the same at the same cycles. Also the benchmarks' yardstick.
#pragma once

#include <deque>
#include <vector>

#include "models/memory/hbm/hbm_channel.h"

namespace trn {

class TickChannel {
 public:
  explicit TickChannel(const DramConfig& dram)
      : dram_(dram), timing_(dram), refresh_(dram), hits_(dram.banks()) {}

  void push(const ChannelBurst& burst, bool write);
  bool idle() const { return window_[0].empty() && window_[1].empty(); }
  void tick(std::uint64_t cycle, std::vector<BurstDone>& done);

 private:
  void turn();
  bool usable_hit(std::size_t at) const;
  bool has_usable_hit(std::size_t bank) const;
  void column_command(std::uint64_t cycle, std::vector<BurstDone>& done);
  void row_command(std::uint64_t cycle);
  bool refresh_command(std::uint64_t cycle);

  DramConfig dram_;
  ChannelTiming timing_;
  RefreshSchedule refresh_;
  std::array<std::deque<ChannelBurst>, 2> window_, backlog_;  // reads, writes; oldest first
  std::vector<std::uint64_t> hits_;                           // by bank, since its row was opened
  bool writing_ = false;
};

}  // namespace trn
