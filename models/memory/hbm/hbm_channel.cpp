#include "models/memory/hbm/hbm_channel.h"

#include "base/error.h"

namespace trn {
namespace {

std::size_t lowest(std::uint64_t mask) { return static_cast<std::size_t>(__builtin_ctzll(mask)); }

}  // namespace

HbmChannel::HbmChannel(const DramConfig& dram)
    : dram_(dram), timing_(dram), refresh_(dram), entries_(2 * dram.queue_entries), banks_(dram.banks()) {
  for (std::size_t e = entries_.size(); e-- > 0;) free_.push_back(static_cast<std::uint16_t>(e));
}

bool HbmChannel::push(const ChannelBurst& burst, bool write) {
  TRN_CHECK(burst.arrived >= stepped_ && burst.arrived <= next_,
            "a burst arrived in the past of its channel");
  if (waiting_[0] + waiting_[1] == 0) {
    refresh_.catch_up(burst.arrived, timing_);
    for (std::size_t bank = 0; bank < banks_.size(); ++bank) examine(bank);
  }
  if (waiting_[write] == dram_.queue_entries) {
    backlog_[write].push_back(burst);
    return false;
  }
  column_bus_ = std::max(column_bus_, burst.arrived);
  row_bus_ = std::max(row_bus_, burst.arrived);
  admit(burst, write);
  turn();
  examine(burst.bank);
  update_refresh_mask(burst.arrived);
  plan();
  return true;
}

void HbmChannel::admit(const ChannelBurst& burst, bool write) {
  const std::uint16_t slot = free_.back();
  free_.pop_back();
  entries_[slot] = {burst, ages_++, kNone};
  Bank& bank = banks_[burst.bank];
  if (bank.first[write] == kNone)
    bank.first[write] = slot;
  else
    entries_[bank.last[write]].next = slot;
  bank.last[write] = slot;
  ++waiting_[write];
}

// Writes wait until there are many, or no reads, and then go on until few are left.
void HbmChannel::turn() {
  const bool before = writing_;
  if (writing_)
    writing_ = waiting_[1] > 0 && (waiting_[0] == 0 || waiting_[1] > dram_.write_low);
  else
    writing_ = waiting_[1] >= dram_.write_high || (waiting_[0] == 0 && waiting_[1] > 0);
  if (writing_ != before)
    for (std::size_t bank = 0; bank < banks_.size(); ++bank) examine(bank);
}

// What the bank's requests of the current direction need next.
void HbmChannel::examine(std::size_t b) {
  Bank& bank = banks_[b];
  const std::uint64_t bit = std::uint64_t{1} << b;
  cas_mask_ &= ~bit;
  row_mask_ &= ~bit;
  bank.hit = kNone;
  const std::uint16_t oldest = bank.first[writing_];
  if (oldest == kNone) return;
  const std::uint64_t row = timing_.open_row(b);
  if (row != kNoRow) {
    bank.hit = oldest;
    while (bank.hit != kNone && entries_[bank.hit].burst.row != row) bank.hit = entries_[bank.hit].next;
    // An older request for another row is not held back for ever.
    if (bank.hit != oldest && bank.hits >= dram_.max_row_hits) bank.hit = kNone;
  }
  (bank.hit != kNone ? cas_mask_ : row_mask_) |= bit;
}

void HbmChannel::update_refresh_mask(std::uint64_t cycle) {
  refresh_mask_ = 0;
  if (cycle < refresh_.due()) return;
  refresh_mask_ = refresh_.all_banks()
                      ? (banks_.size() == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << banks_.size()) - 1)
                      : std::uint64_t{1} << refresh_.bank();
}

// The earliest cycle at which some command can issue, or a refresh falls due.
void HbmChannel::plan() {
  next_ = kNeverCycle;
  if (waiting_[0] + waiting_[1] == 0) return;
  std::uint64_t column = kNeverCycle;
  for (std::uint64_t rest = cas_mask_ & ~refresh_mask_; rest != 0; rest &= rest - 1)
    column = std::min(column, timing_.earliest_cas(lowest(rest), writing_));
  std::uint64_t row = kNeverCycle;
  for (std::uint64_t rest = row_mask_ & ~refresh_mask_; rest != 0; rest &= rest - 1) {
    const std::size_t bank = lowest(rest);
    row = std::min(
        row, timing_.is_open(bank) ? timing_.earliest_precharge(bank) : timing_.earliest_activate(bank));
  }
  if (refresh_mask_ != 0) {
    std::uint64_t ready = 0;  // to refresh: all banks closed; else to close one
    std::uint64_t close = kNeverCycle;
    for (std::uint64_t rest = refresh_mask_; rest != 0; rest &= rest - 1) {
      const std::size_t bank = lowest(rest);
      if (timing_.is_open(bank))
        close = std::min(close, timing_.earliest_precharge(bank));
      else
        ready = std::max(ready, timing_.earliest_refresh(bank));
    }
    row = std::min(row, close != kNeverCycle ? close : ready);
  }
  next_ = std::min(std::max(column, column_bus_), std::max(row, row_bus_));
  if (refresh_mask_ == 0) next_ = std::min(next_, std::max(refresh_.due(), std::max(column_bus_, row_bus_)));
}

void HbmChannel::step(std::vector<BurstDone>& done) {
  const std::uint64_t cycle = next_;
  update_refresh_mask(cycle);
  issue_cas(cycle, done);
  issue_row(cycle);
  stepped_ = column_bus_ = row_bus_ = cycle + 1;
  update_refresh_mask(cycle);
  plan();
}

void HbmChannel::issue_cas(std::uint64_t cycle, std::vector<BurstDone>& done) {
  if (column_bus_ > cycle) return;
  std::uint16_t chosen = kNone;
  for (std::uint64_t rest = cas_mask_ & ~refresh_mask_; rest != 0; rest &= rest - 1) {
    const std::size_t bank = lowest(rest);
    const std::uint16_t hit = banks_[bank].hit;
    if (chosen != kNone && entries_[chosen].age < entries_[hit].age) continue;
    if (timing_.earliest_cas(bank, writing_) <= cycle) chosen = hit;
  }
  if (chosen == kNone) return;
  const ChannelBurst burst = entries_[chosen].burst;
  const bool write = writing_;
  account_gap(burst, cycle);
  timing_.cas(burst.bank, write, cycle);
  const std::uint64_t data_end = cycle + (write ? dram_.t.cwl : dram_.t.cl) + dram_.t.burst;
  if (!burst.posted) done.push_back({data_end, burst.request});
  stats_.last = std::max(stats_.last, data_end);
  ++(write ? stats_.writes : stats_.reads);
  ++banks_[burst.bank].hits;
  column_bus_ = cycle + 1;
  remove(burst.bank, chosen, done);
}

// Until the burst was there, its absence is to blame; from then on, what it waited for last.
void HbmChannel::account_gap(const ChannelBurst& burst, std::uint64_t cycle) {
  const std::uint64_t free = std::min(timing_.bus_free(), cycle);
  const std::uint64_t there = std::min(std::max(free, burst.arrived), cycle);
  stats_.lost[static_cast<std::size_t>(DramLimit::kRequests)] += there - free;
  stats_.lost[static_cast<std::size_t>(timing_.limit_of(burst.bank, writing_, burst.arrived))] +=
      cycle - there;
}

void HbmChannel::remove(std::size_t b, std::uint16_t slot, std::vector<BurstDone>& done) {
  Bank& bank = banks_[b];
  const bool write = writing_;
  if (bank.first[write] == slot) {
    bank.first[write] = entries_[slot].next;
  } else {
    std::uint16_t before = bank.first[write];
    while (entries_[before].next != slot) before = entries_[before].next;
    entries_[before].next = entries_[slot].next;
    if (bank.last[write] == slot) bank.last[write] = before;
  }
  free_.push_back(slot);
  --waiting_[write];
  if (!backlog_[write].empty()) {
    const ChannelBurst next = backlog_[write].front();
    backlog_[write].pop_front();
    admit(next, write);
    if (next.posted) done.push_back({posted(column_bus_ - 1), next.request});
    if (next.bank != b) examine(next.bank);
  }
  examine(b);
  turn();
}

// A refresh that is due comes first; then the bank whose oldest request is the oldest.
void HbmChannel::issue_row(std::uint64_t cycle) {
  if (row_bus_ > cycle) return;
  if (refresh_mask_ != 0) {
    bool closed = true;
    bool ready = true;
    for (std::uint64_t rest = refresh_mask_; rest != 0; rest &= rest - 1) {
      const std::size_t bank = lowest(rest);
      if (!timing_.is_open(bank)) {
        ready = ready && timing_.earliest_refresh(bank) <= cycle;
        continue;
      }
      closed = false;
      if (timing_.earliest_precharge(bank) > cycle) continue;
      timing_.precharge(bank, cycle);
      banks_[bank].hits = 0;
      examine(bank);
      row_bus_ = cycle + 1;
      return;
    }
    if (closed && ready) {
      for (std::uint64_t rest = refresh_mask_; rest != 0; rest &= rest - 1)
        timing_.refresh(lowest(rest), cycle, refresh_.takes());
      ++stats_.refreshes;
      refresh_.done();
      row_bus_ = cycle + 1;
      return;
    }
  }
  std::size_t chosen = banks_.size();
  std::uint64_t age = kNeverCycle;
  for (std::uint64_t rest = row_mask_ & ~refresh_mask_; rest != 0; rest &= rest - 1) {
    const std::size_t bank = lowest(rest);
    const std::uint64_t its = entries_[banks_[bank].first[writing_]].age;
    if (its > age) continue;
    const std::uint64_t at =
        timing_.is_open(bank) ? timing_.earliest_precharge(bank) : timing_.earliest_activate(bank);
    if (at > cycle) continue;
    chosen = bank;
    age = its;
  }
  if (chosen == banks_.size()) return;
  if (timing_.is_open(chosen)) {
    timing_.precharge(chosen, cycle);
  } else {
    timing_.activate(chosen, entries_[banks_[chosen].first[writing_]].burst.row, cycle);
    ++stats_.activations;
  }
  banks_[chosen].hits = 0;
  examine(chosen);
  row_bus_ = cycle + 1;
}

}  // namespace trn
