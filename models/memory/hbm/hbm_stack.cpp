#include "models/memory/hbm/hbm_stack.h"

#include "base/error.h"

namespace trn {

HbmStack::HbmStack(const DramConfig& dram)
    : dram_(dram), map_(dram), channels_(dram.channels, HbmChannel(dram)) {}

std::uint32_t HbmStack::request(std::uint64_t cycle, const HbmRequest& request) {
  TRN_CHECK(request.bytes > 0, "a request of no bytes");
  auto ticket = static_cast<std::uint32_t>(open_.size());
  if (free_.empty()) {
    open_.emplace_back();
  } else {
    ticket = free_.back();
    free_.pop_back();
  }
  const std::uint64_t first = request.address / dram_.burst_bytes;
  const std::uint64_t last = (request.address + request.bytes - 1) / dram_.burst_bytes;
  open_[ticket] = {last - first + 1, 0};
  for (std::uint64_t burst = first; burst <= last; ++burst) {
    const BurstPlace place = map_.place(burst * dram_.burst_bytes);
    HbmChannel& channel = channels_[place.channel];
    const bool taken = channel.push({place.row, cycle, place.bank, ticket, request.posted}, request.write);
    if (!taken || !request.posted) continue;
    done_.push_back({channel.posted(cycle), ticket});
    posted_at_ = std::min(posted_at_, cycle);
  }
  return ticket;
}

std::uint64_t HbmStack::next() const {
  std::uint64_t first = posted_at_;
  for (const HbmChannel& channel : channels_) first = std::min(first, channel.next());
  return first;
}

void HbmStack::advance(std::uint64_t until, std::vector<HbmDone>& completed) {
  for (HbmChannel& channel : channels_)
    while (channel.next() < until) channel.step(done_);
  for (const BurstDone& burst : done_) {
    Open& open = open_[burst.request];
    open.last = std::max(open.last, burst.cycle);
    if (--open.bursts > 0) continue;
    completed.push_back({open.last + dram_.controller_latency, burst.request});
    free_.push_back(burst.request);
  }
  done_.clear();
  posted_at_ = kNeverCycle;
}

std::uint64_t HbmStack::lookahead() const {
  return std::min(dram_.t.cl, dram_.t.cwl) + dram_.t.burst + dram_.controller_latency;
}

ChannelStats HbmStack::stats() const {
  ChannelStats sum;
  for (const HbmChannel& channel : channels_) {
    const ChannelStats& s = channel.stats();
    sum.reads += s.reads;
    sum.writes += s.writes;
    sum.activations += s.activations;
    sum.refreshes += s.refreshes;
    for (std::size_t i = 0; i < sum.lost.size(); ++i) sum.lost[i] += s.lost[i];
    sum.last = std::max(sum.last, s.last);
  }
  return sum;
}

}  // namespace trn
