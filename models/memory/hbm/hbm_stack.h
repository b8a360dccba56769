// All channels of a stack: requests of any size go in, are cut into bursts, and come out when the last is
// through.
#pragma once

#include <cstdint>
#include <vector>

#include "models/memory/hbm/address_map.h"
#include "models/memory/hbm/hbm_channel.h"

namespace trn {

struct HbmRequest {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  // > 0
  bool write = false;
  bool posted = false;  // a write that is done when the controllers have all of it in their queues
};

struct HbmDone {
  std::uint64_t cycle;   // the requester has its data, or knows that they are written
  std::uint32_t ticket;  // as request() gave it
};

class HbmStack {
 public:
  explicit HbmStack(const DramConfig& dram);

  // Arrives at `cycle`, which lies not before what advance() has done. The ticket is free again once done.
  std::uint32_t request(std::uint64_t cycle, const HbmRequest& request);
  // The cycle of the next command of any channel, or of a posted write just taken; kNeverCycle: nothing is
  // waiting.
  std::uint64_t next() const;
  // Issues every command before `until`; what completes by that is appended to `completed`, in no order.
  void advance(std::uint64_t until, std::vector<HbmDone>& completed);
  // No request completes sooner than this after the command that completes it: how far advance() may go
  // without missing a request that follows on a completion.
  std::uint64_t lookahead() const;

  ChannelStats stats() const;  // summed; `last` is the largest
  const DramConfig& config() const { return dram_; }

 private:
  struct Open {
    std::uint64_t bursts = 0;
    std::uint64_t last = 0;
  };

  DramConfig dram_;
  AddressMap map_;
  std::vector<HbmChannel> channels_;
  std::vector<Open> open_;
  std::vector<std::uint32_t> free_;
  std::vector<BurstDone> done_;
  std::uint64_t posted_at_ = kNeverCycle;  // the first of the writes in done_ that were taken at once
};

}  // namespace trn
