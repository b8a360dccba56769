// An HBM stack of channels, banks and rows behind the memory port: cycles become picoseconds here.
#pragma once

#include <queue>

#include "models/memory/hbm/hbm_stack.h"
#include "models/memory/hbm/memory_port.h"

namespace trn {

class ChannelMemory : public MemoryPort {
 public:
  explicit ChannelMemory(const DramConfig& dram);

  void request(Picoseconds now, const MemoryRequest& request) override;
  Picoseconds next() const override;
  void advance(Picoseconds now, std::vector<std::uint32_t>& done) override;
  MemoryTotals totals() const override { return totals_; }
  ChannelStats stats() const { return stack_.stats(); }
  const DramConfig& config() const { return stack_.config(); }

 private:
  struct Done {
    std::uint64_t cycle;
    std::uint64_t serial;
    MemoryRequest request;
    bool operator<(const Done& o) const { return cycle != o.cycle ? o.cycle < cycle : o.serial < serial; }
  };

  std::uint64_t cycle_at_or_after(Picoseconds t) const;
  void catch_up(std::uint64_t cycle);

  HbmStack stack_;
  std::uint64_t slack_;              // from a command to the end of its data, at least
  std::uint64_t issued_ = 0;         // every command before this cycle is issued
  std::vector<MemoryRequest> open_;  // by ticket
  std::priority_queue<Done> done_;   // known, not yet told
  std::uint64_t next_serial_ = 0;
  std::vector<HbmDone> completed_;
  MemoryTotals totals_;
};

}  // namespace trn
