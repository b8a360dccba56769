#include "tests/support/tick_channel.h"

namespace trn {

void TickChannel::push(const ChannelBurst& burst, bool write) {
  if (idle()) refresh_.catch_up(burst.arrived, timing_);
  (window_[write].size() < dram_.queue_entries ? window_ : backlog_)[write].push_back(burst);
  turn();
}

void TickChannel::turn() {
  const std::size_t reads = window_[0].size(), writes = window_[1].size();
  if (writing_)
    writing_ = writes > 0 && (reads == 0 || writes > dram_.write_low);
  else
    writing_ = writes >= dram_.write_high || (reads == 0 && writes > 0);
}

// Is the request for its bank's open row, and may it go before older ones of the bank?
bool TickChannel::usable_hit(std::size_t at) const {
  const std::deque<ChannelBurst>& window = window_[writing_];
  const ChannelBurst& burst = window[at];
  if (timing_.open_row(burst.bank) != burst.row) return false;
  if (hits_[burst.bank] < dram_.max_row_hits) return true;
  for (std::size_t older = 0; older < at; ++older)
    if (window[older].bank == burst.bank && window[older].row != burst.row) return false;
  return true;
}

bool TickChannel::has_usable_hit(std::size_t bank) const {
  for (std::size_t i = 0; i < window_[writing_].size(); ++i)
    if (window_[writing_][i].bank == bank && usable_hit(i)) return true;
  return false;
}

void TickChannel::tick(std::uint64_t cycle, std::vector<BurstDone>& done) {
  column_command(cycle, done);
  if (!refresh_command(cycle)) row_command(cycle);
}

void TickChannel::column_command(std::uint64_t cycle, std::vector<BurstDone>& done) {
  std::deque<ChannelBurst>& window = window_[writing_];
  for (std::size_t i = 0; i < window.size(); ++i) {
    const ChannelBurst burst = window[i];
    if (refresh_.concerns(burst.bank, cycle) || !usable_hit(i)) continue;
    if (timing_.earliest_cas(burst.bank, writing_) > cycle) continue;
    timing_.cas(burst.bank, writing_, cycle);
    done.push_back({cycle + (writing_ ? dram_.t.cwl : dram_.t.cl) + dram_.t.burst, burst.request});
    ++hits_[burst.bank];
    window.erase(window.begin() + static_cast<std::ptrdiff_t>(i));
    if (!backlog_[writing_].empty()) {
      window.push_back(backlog_[writing_].front());
      backlog_[writing_].pop_front();
    }
    turn();
    return;
  }
}

bool TickChannel::refresh_command(std::uint64_t cycle) {
  bool closed = true, ready = true, any = false;
  for (std::size_t bank = 0; bank < dram_.banks(); ++bank) {
    if (!refresh_.concerns(bank, cycle)) continue;
    any = true;
    if (!timing_.is_open(bank)) {
      ready = ready && timing_.earliest_refresh(bank) <= cycle;
      continue;
    }
    closed = false;
    if (timing_.earliest_precharge(bank) > cycle) continue;
    timing_.precharge(bank, cycle);
    hits_[bank] = 0;
    return true;
  }
  if (!any || !closed || !ready) return false;
  for (std::size_t bank = 0; bank < dram_.banks(); ++bank)
    if (refresh_.all_banks() || bank == refresh_.bank()) timing_.refresh(bank, cycle, refresh_.takes());
  refresh_.done();
  return true;
}

void TickChannel::row_command(std::uint64_t cycle) {
  std::uint64_t seen = 0;
  for (const ChannelBurst& burst : window_[writing_]) {
    const std::uint64_t bit = std::uint64_t{1} << burst.bank;
    if ((seen & bit) != 0) continue;
    seen |= bit;
    if (refresh_.concerns(burst.bank, cycle) || has_usable_hit(burst.bank)) continue;
    const bool open = timing_.is_open(burst.bank);
    const std::uint64_t at =
        open ? timing_.earliest_precharge(burst.bank) : timing_.earliest_activate(burst.bank);
    if (at > cycle) continue;
    if (open)
      timing_.precharge(burst.bank, cycle);
    else
      timing_.activate(burst.bank, burst.row, cycle);
    hits_[burst.bank] = 0;
    return;
  }
}

}  // namespace trn
