#include "sim/run/kernel_results.h"

#include <algorithm>
#include <set>

#include "models/core/tensor/tensor_cost.h"

namespace trn {
namespace {

using Modes = std::set<MatmulMode>;

// The modes of the array that each region's instructions use.
void add_modes(const NodeList& nodes, const Program& program, std::vector<Modes>& regions) {
  for (const Node& node : nodes) {
    add_modes(node.body, program, regions);
    const Instruction& i = node.instruction;
    if (node.is_loop() || (i.opcode != Opcode::kMatmul && i.opcode != Opcode::kMatmulMx)) continue;
    regions[i.region].insert({program.tensors[i.src[0].tensor].dtype, i.double_row, i.sparse});
  }
}

std::string mode_name(const MatmulMode& mode) {
  return std::string(info(mode.dtype).name) + (mode.double_row ? " double row" : "") +
         (mode.sparse ? " sparse" : "");
}

KernelResult kernel_result(const std::string& region, const RegionWork& work, const TransferTimes& transfers,
                           const Modes& modes) {
  KernelResult kernel;
  kernel.region = region;
  kernel.instructions = work.instructions;
  kernel.array_flops = work.flops;
  kernel.transfers = transfers.transfers;
  kernel.dma_bytes = Bytes(transfers.bytes);
  kernel.hbm_read = transfers.hbm_read;
  kernel.hbm_write = transfers.hbm_write;
  IntervalSet all = work.visits;
  all.add(transfers.in_motion);
  kernel.time = all.covered();
  for (const MatmulMode& mode : modes) kernel.modes.push_back(mode_name(mode));
  return kernel;
}

}  // namespace

void collect_kernels(const std::vector<RegionWork>& work, const std::vector<TransferTimes>& transfers,
                     const Program& program, const TensorConfig& tensor, RunResult& result) {
  std::vector<Modes> modes(work.size());
  for (const CoreProgram& core : program.cores)
    for (const NodeList& stream : core.streams) add_modes(stream, program, modes);
  Modes all;
  for (std::size_t r = 0; r < work.size(); ++r) {
    const TransferTimes moved = r < transfers.size() ? transfers[r] : TransferTimes{};
    if (work[r].instructions > 0 || moved.transfers > 0)
      result.kernels.push_back(kernel_result(program.regions[r], work[r], moved, modes[r]));
    all.insert(modes[r].begin(), modes[r].end());
  }
  std::stable_sort(result.kernels.begin(), result.kernels.end(),
                   [](const KernelResult& a, const KernelResult& b) { return b.time < a.time; });
  const double cycles = 1e6 * static_cast<double>(tensor.clock.frequency.count() * program.cores.size());
  for (const MatmulMode& mode : all)
    result.array_ceilings.push_back(
        {mode_name(mode), cycles * static_cast<double>(peak_flops_per_cycle(mode, tensor))});
  std::stable_sort(
      result.array_ceilings.begin(), result.array_ceilings.end(),
      [](const ArrayCeiling& a, const ArrayCeiling& b) { return a.flops_per_s < b.flops_per_s; });
}

}  // namespace trn
