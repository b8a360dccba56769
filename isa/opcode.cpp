#include "isa/opcode.h"

#include "base/error.h"

namespace trn {

namespace {

constexpr std::size_t kNumbers = 64;

// Row of each opcode number in the table, 255: none.
constexpr std::array<std::uint8_t, kNumbers> rows_by_number() {
  std::array<std::uint8_t, kNumbers> rows{};
  for (std::uint8_t& row : rows) row = 255;
  for (std::size_t i = 0; i < kOpcodes.size(); ++i)
    rows[static_cast<std::size_t>(kOpcodes[i].opcode)] = static_cast<std::uint8_t>(i);
  return rows;
}
constexpr std::array<std::uint8_t, kNumbers> kRows = rows_by_number();

}  // namespace

const OpcodeInfo* find_opcode(std::uint32_t number) {
  return number < kNumbers && kRows[number] != 255 ? &kOpcodes[kRows[number]] : nullptr;
}

const OpcodeInfo* find_opcode(std::string_view mnemonic) {
  for (const OpcodeInfo& row : kOpcodes)
    if (row.mnemonic == mnemonic) return &row;
  return nullptr;
}

const OpcodeInfo& info(Opcode opcode) {
  const OpcodeInfo* row = find_opcode(static_cast<std::uint32_t>(opcode));
  TRN_CHECK(row != nullptr, "opcode without a table row");
  return *row;
}

std::vector<std::string> mnemonics() {
  std::vector<std::string> names;
  for (const OpcodeInfo& row : kOpcodes) names.emplace_back(row.mnemonic);
  return names;
}

}  // namespace trn
