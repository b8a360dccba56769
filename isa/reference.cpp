#include "isa/reference.h"

#include <fmt/format.h>

#include "base/text.h"
#include "isa/dtype.h"
#include "isa/opcode.h"

namespace trn {
namespace {

std::string engines(EngineMask mask) {
  std::vector<std::string> out;
  for (const EngineInfo& engine : kEngines)
    if ((mask & mask_of(engine.engine)) != 0) out.emplace_back(engine.short_name);
  if (out.size() == kEngineCount) return "all";
  return out.empty() ? "-" : join(out, " ");
}

std::string operands(const OpcodeInfo& row) {
  std::string text = row.operands.dst ? "dst" : "";
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (std::size_t s = 0; s < row.operands.max_sources; ++s)
    add(s < row.operands.min_sources ? "src" : "[src]");
  return text.empty() ? "-" : text;
}

template <class Names>
std::string list(const Names& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "`" : ", `") + std::string(name) + '`';
  return text;
}

}  // namespace

std::string isa_reference() {
  std::string out =
      "# Instructions\n\n"
      "Generated from `isa/opcode.h` and `isa/dtype.h` by `trnsim list --isa`; a test holds the two "
      "together.\n"
      "Sources of the costs: [calibration](calibration.md). How programs are written: [tasm](tasm.md).\n\n"
      "| no. | name | vendor's name | v2 | v3 | v4 | operands | meaning | cost, engine cycles |\n"
      "|---|---|---|---|---|---|---|---|---|\n";
  for (const OpcodeInfo& row : kOpcodes) {
    std::string meaning(row.summary);
    if (row.kind_count() > 0) {
      const auto end = row.kinds.begin() + static_cast<std::ptrdiff_t>(row.kind_count());
      meaning += "; forms " + list(std::vector<std::string_view>(row.kinds.begin(), end));
    }
    out += fmt::format("| {} | `{}` | {} | {} | {} | {} | {} | {} | {} |\n",
                       static_cast<unsigned>(row.opcode), row.mnemonic, row.vendor, engines(row.v2),
                       engines(row.v3), engines(row.v4), operands(row), meaning, row.cost);
  }
  std::vector<std::string_view> functions;
  for (const ActFnInfo& fn : kActFns) functions.push_back(fn.name);
  out += "\n## ALU operations\n\n" + list(kAluOps) + "\n\n## Activation functions\n\n" + list(functions) +
         "\n\n## Element types\n\n| name | bytes | values |\n|---|---|---|\n";
  for (const DTypeInfo& row : kDTypes)
    out += fmt::format("| `{}` | {} | {} |\n", row.name, row.bytes, row.values);
  return out;
}

}  // namespace trn
