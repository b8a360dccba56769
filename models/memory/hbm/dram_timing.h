// When a channel may take its next command: the timing rules of an HBM channel, each written once. The
// scheduler asks and records; so does the reference in tests that goes cycle by cycle.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "base/bits.h"
#include "models/memory/hbm/dram_config.h"

namespace trn {

inline constexpr std::uint64_t kNeverCycle = ~std::uint64_t{0};
inline constexpr std::uint64_t kNoRow = ~std::uint64_t{0};

// What made a burst come later than the data bus was free.
enum class DramLimit : std::uint8_t {
  kRequests,
  kBankGroup,
  kTurnaround,
  kRowCycle,
  kActivationRate,
  kRefresh
};
inline constexpr std::array<std::string_view, 6> kDramLimits{"requests",  "bank group",      "turnaround",
                                                             "row cycle", "activation rate", "refresh"};

class ChannelTiming {
 public:
  explicit ChannelTiming(const DramConfig& dram) : t_(dram.t), group_shift_(bits_for(dram.banks_per_group)) {}

  std::uint64_t open_row(std::size_t bank) const { return banks_[bank].row; }
  bool is_open(std::size_t bank) const { return banks_[bank].row != kNoRow; }

  // Earliest cycle of a command, its bank being in the state for it.
  std::uint64_t earliest_cas(std::size_t bank, bool write) const {
    const Group& group = group_of(bank);
    const std::uint64_t turn = write ? write_ok_ : std::max(read_ok_, group.read_ok);
    return std::max(std::max(banks_[bank].cas_ok, group.cas_ok), std::max(cas_ok_, turn));
  }
  std::uint64_t earliest_activate(std::size_t bank) const {
    return std::max(std::max(banks_[bank].activate_ok, group_of(bank).activate_ok),
                    std::max(activate_ok_, window_[oldest_]));
  }
  std::uint64_t earliest_precharge(std::size_t bank) const { return banks_[bank].precharge_ok; }
  // A refresh needs the bank closed and its precharge done, and no activation window.
  std::uint64_t earliest_refresh(std::size_t bank) const { return banks_[bank].activate_ok; }

  void cas(std::size_t bank, bool write, std::uint64_t cycle);
  void activate(std::size_t bank, std::uint64_t row, std::uint64_t cycle);
  void precharge(std::size_t bank, std::uint64_t cycle);
  void refresh(std::size_t bank, std::uint64_t cycle, std::uint64_t takes);

  // Why a burst of this bank, there since `arrived`, did not follow the last one at once.
  DramLimit limit_of(std::size_t bank, bool write, std::uint64_t arrived) const;
  std::uint64_t bus_free() const { return cas_ok_; }

 private:
  struct Bank {
    std::uint64_t row = kNoRow;
    std::uint64_t cas_ok = 0, activate_ok = 0, precharge_ok = 0;
    DramLimit opened_by = DramLimit::kRowCycle;  // what the last activation had waited for
    bool refreshed = false;                      // since the last activation
  };
  struct Group {
    std::uint64_t cas_ok = 0, read_ok = 0, activate_ok = 0;
  };
  const Group& group_of(std::size_t bank) const { return groups_[bank >> group_shift_]; }
  Group& group_of(std::size_t bank) { return groups_[bank >> group_shift_]; }

  DramTiming t_;
  std::uint32_t group_shift_;  // bank to group
  std::array<Bank, 64> banks_{};
  std::array<Group, 16> groups_{};
  std::uint64_t cas_ok_ = 0, read_ok_ = 0, write_ok_ = 0, activate_ok_ = 0;
  std::array<std::uint64_t, 4>
      window_{};  // when the four-activate window has room again after each of the last
  std::size_t oldest_ = 0;
};

// Which bank is due for a refresh and since when.
class RefreshSchedule {
 public:
  explicit RefreshSchedule(const DramConfig& dram);
  std::uint64_t due() const { return due_; }  // kNeverCycle: no refresh at all
  bool all_banks() const { return all_banks_; }
  std::size_t bank() const { return bank_; }
  std::uint64_t takes() const { return takes_; }
  bool concerns(std::size_t bank, std::uint64_t cycle) const {
    return cycle >= due_ && (all_banks_ || bank == bank_);
  }
  void done();
  // A channel that had nothing to do until `cycle` has refreshed in time.
  void catch_up(std::uint64_t cycle, ChannelTiming& timing);

 private:
  std::uint64_t due_, interval_, takes_;
  std::size_t bank_ = 0;
  std::size_t banks_;
  bool all_banks_;
};

}  // namespace trn
