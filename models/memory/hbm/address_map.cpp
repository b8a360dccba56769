#include "models/memory/hbm/address_map.h"

#include <array>

#include "base/bits.h"

namespace trn {
namespace {

// Exclusive or of all groups of `bits` bits.
std::uint64_t fold(std::uint64_t value, std::uint32_t bits) {
  if (bits == 0) return 0;
  std::uint64_t folded = 0;
  for (; value != 0; value >>= bits) folded ^= value;
  return folded;
}

}  // namespace

AddressMap::AddressMap(const DramConfig& dram)
    : map_(dram.map),
      burst_bytes_(dram.burst_bytes),
      banks_per_group_(dram.banks_per_group),
      hash_(dram.hash),
      channel_mask_(dram.channels - 1),
      group_mask_(dram.bank_groups - 1),
      bank_mask_(dram.banks_per_group - 1),
      channel_bits_(bits_for(dram.channels)),
      group_bits_(bits_for(dram.bank_groups)),
      bank_bits_(bits_for(dram.banks_per_group)) {}

BurstPlace AddressMap::place(std::uint64_t address) const {
  std::uint64_t rest = address / burst_bytes_;
  std::array<std::uint64_t, 5> value{};
  std::array<std::uint32_t, 5> filled{};
  for (const AddressBits& bits : map_) {
    const auto f = static_cast<std::size_t>(bits.field);
    if (bits.field == AddressField::kRow) {
      value[f] = rest;
      break;
    }
    value[f] |= (rest & ((std::uint64_t{1} << bits.bits) - 1)) << filled[f];
    filled[f] += bits.bits;
    rest >>= bits.bits;
  }
  const auto of = [&](AddressField f) { return value[static_cast<std::size_t>(f)]; };
  std::uint64_t channel = of(AddressField::kChannel);
  std::uint64_t group = of(AddressField::kBankGroup);
  std::uint64_t bank = of(AddressField::kBank);
  const std::uint64_t row = of(AddressField::kRow);
  if (hash_) {
    // The bank is permuted by the row, the channel by both and by the high columns, which are what strides
    // move.
    channel ^= fold(of(AddressField::kColumn) >> 1 ^ row << 3 ^ bank << 1, channel_bits_);
    group ^= fold(row, group_bits_);
    bank ^= fold(row >> 1, bank_bits_);
  }
  return {static_cast<std::uint32_t>(channel & channel_mask_),
          static_cast<std::uint32_t>((group & group_mask_) * banks_per_group_ + (bank & bank_mask_)), row};
}

}  // namespace trn
