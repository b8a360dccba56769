#include "sim/cli/cli.h"

namespace trn {

void add_train(CLI::App& app);
void add_collective(CLI::App& app);
void add_compare(CLI::App& app);
void add_sweep(CLI::App& app);
void add_search(CLI::App& app);
void add_sensitivity(CLI::App& app);
void add_breakeven(CLI::App& app);
void add_kernel(CLI::App& app);
void add_run(CLI::App& app);
void add_asm(CLI::App& app);
void add_disasm(CLI::App& app);
void add_config(CLI::App& app);
void add_memory(CLI::App& app);
void add_topology(CLI::App& app);
void add_list(CLI::App& app);
void add_validate(CLI::App& app);
void add_dma_curve(CLI::App& app);
void add_report(CLI::App& app);

const std::vector<CommandRow>& command_table() {
  static const std::vector<CommandRow> kTable{
      {"train", add_train},
      {"collective", add_collective},
      {"compare", add_compare},
      {"sweep", add_sweep},
      {"search", add_search},
      {"sensitivity", add_sensitivity},
      {"breakeven", add_breakeven},
      {"topology", add_topology},
      {"kernel", add_kernel},
      {"run", add_run},
      {"asm", add_asm},
      {"disasm", add_disasm},
      {"memory", add_memory},
      {"dma-curve", add_dma_curve},
      {"report", add_report},
      {"config", add_config},
      {"list", add_list},
      {"validate", add_validate},
  };
  return kTable;
}

}  // namespace trn
