#include "models/memory/hbm/dram_timing.h"

namespace trn {

void ChannelTiming::cas(std::size_t bank, bool write, std::uint64_t cycle) {
  Bank& b = banks_[bank];
  Group& group = group_of(bank);
  cas_ok_ = cycle + t_.burst;
  group.cas_ok = cycle + t_.ccd_l;
  if (write) {
    const std::uint64_t data_end = cycle + t_.cwl + t_.burst;
    read_ok_ = data_end + t_.wtr_s;
    group.read_ok = data_end + t_.wtr_l;
    b.precharge_ok = std::max(b.precharge_ok, data_end + t_.wr);
  } else {
    // Write data must not meet read data on the bus.
    const std::uint64_t data_end = cycle + t_.cl + t_.burst + t_.bus_turn;
    write_ok_ = data_end > t_.cwl ? data_end - t_.cwl : 0;
    b.precharge_ok = std::max(b.precharge_ok, cycle + t_.rtp);
  }
}

void ChannelTiming::activate(std::size_t bank, std::uint64_t row, std::uint64_t cycle) {
  Bank& b = banks_[bank];
  const std::uint64_t shared = std::max(std::max(group_of(bank).activate_ok, activate_ok_), window_[oldest_]);
  if (shared > b.activate_ok && cycle <= shared)
    b.opened_by = DramLimit::kActivationRate;
  else
    b.opened_by = b.refreshed && cycle <= b.activate_ok ? DramLimit::kRefresh : DramLimit::kRowCycle;
  b.refreshed = false;
  b.row = row;
  b.cas_ok = cycle + t_.rcd;
  b.precharge_ok = cycle + t_.ras;
  b.activate_ok = cycle + t_.ras + t_.rp;
  group_of(bank).activate_ok = cycle + t_.rrd_l;
  activate_ok_ = cycle + t_.rrd_s;
  window_[oldest_] = cycle + t_.faw;
  oldest_ = (oldest_ + 1) % window_.size();
}

void ChannelTiming::precharge(std::size_t bank, std::uint64_t cycle) {
  Bank& b = banks_[bank];
  b.row = kNoRow;
  b.activate_ok = std::max(b.activate_ok, cycle + t_.rp);
}

void ChannelTiming::refresh(std::size_t bank, std::uint64_t cycle, std::uint64_t takes) {
  Bank& b = banks_[bank];
  b.row = kNoRow;
  b.activate_ok = std::max(b.activate_ok, cycle + takes);
  b.refreshed = true;
}

DramLimit ChannelTiming::limit_of(std::size_t bank, bool write, std::uint64_t arrived) const {
  const Group& group = group_of(bank);
  const std::uint64_t turn = write ? write_ok_ : std::max(read_ok_, group.read_ok);
  DramLimit limit = DramLimit::kRequests;
  std::uint64_t latest = arrived;
  const auto consider = [&](std::uint64_t cycle, DramLimit which) {
    if (cycle <= latest) return;
    latest = cycle;
    limit = which;
  };
  consider(banks_[bank].cas_ok, banks_[bank].opened_by);
  consider(turn, DramLimit::kTurnaround);
  consider(group.cas_ok, DramLimit::kBankGroup);
  return limit;
}

RefreshSchedule::RefreshSchedule(const DramConfig& dram)
    : due_(kNeverCycle),
      interval_(dram.t.refi),
      takes_(dram.t.rfc),
      banks_(dram.banks()),
      all_banks_(dram.refresh == RefreshMode::kAllBank) {
  if (dram.refresh == RefreshMode::kPerBank) {
    interval_ = dram.t.refi / banks_;
    takes_ = dram.t.rfc_pb;
  }
  if (dram.refresh != RefreshMode::kNone) due_ = interval_;
}

void RefreshSchedule::done() {
  due_ += interval_;
  bank_ = (bank_ + 1) % banks_;
}

void RefreshSchedule::catch_up(std::uint64_t cycle, ChannelTiming& timing) {
  if (due_ >= cycle) return;
  const std::uint64_t missed = (cycle - due_ - 1) / interval_ + 1;  // those due before `cycle`
  const std::uint64_t kept = std::min<std::uint64_t>(missed, all_banks_ ? 1 : banks_);
  due_ += (missed - kept) * interval_;
  bank_ = (bank_ + missed - kept) % banks_;
  for (std::uint64_t i = 0; i < kept; ++i) {
    for (std::size_t bank = 0; bank < banks_; ++bank)
      if (all_banks_ || bank == bank_) timing.refresh(bank, due_, takes_);
    done();
  }
}

}  // namespace trn
