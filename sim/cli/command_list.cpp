// trnsim list
#include <fmt/format.h>

#include "base/text.h"
#include "isa/dtype.h"
#include "isa/program.h"
#include "isa/reference.h"
#include "kernels/gemm.h"
#include "kernels/registry.h"
#include "models/interconnect/collectives/algorithms/algorithm.h"
#include "models/interconnect/topology/fabric_config.h"
#include "sim/cli/cli.h"
#include "workloads/layout.h"

namespace trn {
namespace {

template <class Row>
std::vector<std::string> names(const Row& rows) {
  std::vector<std::string> out;
  for (const auto& row : rows) out.emplace_back(row.name);
  return out;
}

void line(const char* what, const std::vector<std::string>& items) {
  fmt::print("{:<22} {}\n", what, join(items));
}

// The registry tables, so that every name a command takes can be looked up.
void list() {
  line("machines", known_machines());
  line("kernels", names(kernel_table()));
  line("gemm orders", kGemmOrders);
  line("collectives", {kCollectiveOps.begin(), kCollectiveOps.end()});
  line("algorithms", staged_algorithm_names());
  line("routings", {kRoutings.begin(), kRoutings.end()});
  line("recompute", kRecomputeNames);
  line("lowerings", kLoweringNames);
  line("gemms", kGemmsNames);
  line("dtypes", dtype_names());
  line("activation functions", names(kActFns));
  fmt::print("opcodes\n");
  for (const OpcodeInfo& row : kOpcodes) {
    std::vector<std::string> engines;
    for (const EngineInfo& engine : kEngines)
      if (((row.v2 | row.v3 | row.v4) & mask_of(engine.engine)) != 0) engines.emplace_back(engine.short_name);
    fmt::print("  {:<6} {:<22} {}\n", row.mnemonic, join(engines), row.summary);
  }
}

}  // namespace

void add_list(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("list", "Every name the other commands take: machines, kernels, opcodes, ...");
  command->footer("Example: trnsim list");
  auto isa = std::make_shared<bool>(false);
  command->add_flag("--isa", *isa, "print the instruction reference (docs/isa.md) instead");
  command->callback([isa] { *isa ? fmt::print("{}", isa_reference()) : list(); });
}

}  // namespace trn
