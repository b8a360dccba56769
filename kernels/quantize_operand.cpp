#include "kernels/quantize_operand.h"

namespace trn {
namespace {

constexpr std::uint64_t kColumns = 1024;  // held at once

}  // namespace

QuantizedOperand declare_operand(Program& program, const std::string& name, DType dtype, std::uint64_t k,
                                 std::uint64_t columns) {
  const std::uint64_t rows = k / info(dtype).values;
  QuantizedOperand out{add_hbm(program, name, dtype, rows, columns), {}};
  if (is_mx(dtype)) out.scales = add_hbm(program, name + "_scales", DType::kE8M0, rows, columns);
  return out;
}

std::uint64_t quantize_granule(DType dtype, const MachineConfig& machine) {
  return kSlabRows * rows_a_partition(dtype, machine);
}

void quantize_operand(CoreBuilder& b, const QuantizeOperand& job, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t width = std::min(kColumns, job.columns);
  const std::uint64_t planes = is_mx(job.dtype) ? 1 : rows_a_partition(job.dtype, b.machine());
  Quantizer quantizer(b, job.dtype, width, job.scaling);
  OperandPool out(b, "quantize_out", job.dtype, planes * width, 3);
  out.clear_scales(b);
  const std::uint64_t values = info(job.dtype).values;
  for (const Span& c : pieces({0, job.columns}, width))
    for (const Span& slab : pieces({begin, end - begin}, quantize_granule(job.dtype, b.machine())))
      // What is no whole number of planes is taken a plane at a time.
      for (const Span& k :
           pieces(slab, slab.size % (planes * kSlabRows) == 0 || values > 1 ? slab.size : kSlabRows)) {
        const OperandTile tile = out.next();
        quantizer.load(tile, width, job.from, k, c);
        const std::uint64_t parts = values > 1 ? 1 : ceil_div(k.size, kSlabRows);
        const auto rows = static_cast<std::uint32_t>(k.size / values / parts);
        const View result =
            parts == 1 ? View::columns(*tile.values, 0, c.size, rows)
                       : View::shaped(*tile.values, 0,
                                      {{static_cast<std::int64_t>(width), parts}, {1, c.size}}, rows);
        b.store({job.to.values, k.begin / values, k.size / values, c.begin, c.size}, result);
        if (tile.scales != nullptr)
          b.store({job.to.scales, k.begin / values, k.size / values, c.begin, c.size},
                  View::columns(*tile.scales, 0, c.size, rows));
      }
  quantizer.finish();
}

HbmTraffic quantize_traffic(const QuantizeOperand& job, std::uint64_t begin, std::uint64_t end) {
  HbmTraffic traffic = quantizer_traffic(job.dtype, job.scaling);
  const std::uint64_t elements = (end - begin) * job.columns;
  traffic.read += elements * size_of(DType::kBf16);
  traffic.write += elements / info(job.dtype).values * operand_bytes(job.dtype);
  return traffic;
}

}  // namespace trn
