// Where an address of a stack lies: channel, bank, row. The column only tells bursts of one row apart.
#pragma once

#include "models/memory/hbm/dram_config.h"

namespace trn {

struct BurstPlace {
  std::uint32_t channel = 0;
  std::uint32_t bank = 0;  // bank_group x banks_per_group + bank
  std::uint64_t row = 0;
};

class AddressMap {
 public:
  explicit AddressMap(const DramConfig& dram);
  BurstPlace place(std::uint64_t address) const;

 private:
  std::vector<AddressBits> map_;
  std::uint64_t burst_bytes_;
  std::uint64_t banks_per_group_;
  bool hash_;
  std::uint64_t channel_mask_, group_mask_, bank_mask_;
  std::uint32_t channel_bits_, group_bits_, bank_bits_;
};

}  // namespace trn
