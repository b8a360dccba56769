#include "isa/opcode.h"

#include "base/error.h"

namespace trn {

const OpcodeInfo* find_opcode(std::uint32_t number) {
  for (const OpcodeInfo& row : kOpcodes)
    if (static_cast<std::uint32_t>(row.opcode) == number) return &row;
  return nullptr;
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
