#include "kernels/quantize_operand.h"

#include <functional>

namespace trn {
namespace {

constexpr std::uint64_t kColumns = 1024;  // held at once
constexpr std::size_t kSlots = 4;         // made, waiting to be stored, stored

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

namespace {

// Pieces of K that are quantised at once: slabs, and what is no whole number of planes a plane at a time.
std::vector<Span> k_pieces(const QuantizeOperand& job, Span k, const MachineConfig& machine) {
  const std::uint64_t granule = quantize_granule(job.dtype, machine);
  std::vector<Span> out;
  for (const Span& slab : pieces(k, granule))
    for (const Span& piece : pieces(slab, is_mx(job.dtype) || slab.size == granule ? granule : kSlabRows))
      out.push_back(piece);
  return out;
}

void store(CoreBuilder& b, const QuantizeOperand& job, OperandTile tile, std::uint64_t width, Span k,
           Span c) {
  const std::uint64_t rows = k.size / info(job.dtype).values;  // in HBM
  const std::uint64_t planes = ceil_div(rows, kSlabRows);
  const auto partitions = static_cast<std::uint32_t>(rows / planes);
  const HbmBlock values{job.to.values, k.begin / info(job.dtype).values, rows, c.begin, c.size};
  b.store(values, planes == 1
                      ? View::columns(*tile.values, 0, c.size, partitions)
                      : View::shaped(*tile.values, 0,
                                     {{static_cast<std::int64_t>(width), planes}, {1, c.size}}, partitions));
  if (tile.scales == nullptr) return;
  HbmBlock scales = values;
  scales.tensor = job.to.scales;
  b.store(scales, View::columns(*tile.scales, 0, c.size, partitions));
}

}  // namespace

// Scalar triggers the stores and would wait for Vector with each: a piece is stored after the next one's
// work.
void quantize_operand(CoreBuilder& b, const QuantizeOperand& job, std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t width = std::min(kColumns, job.columns);
  Quantizer quantizer(b, job.dtype, width, kSlots - 1, job.scaling);
  OperandPool out(b, "quantize_out", job.dtype,
                  (is_mx(job.dtype) ? 1 : rows_a_partition(job.dtype, b.machine())) * width, kSlots);
  out.clear_scales(b);
  std::function<void()> pending = [] {};
  for (const Span& c : pieces({0, job.columns}, width))
    for (const Span& k : k_pieces(job, {begin, end - begin}, b.machine())) {
      const OperandTile tile = out.next();
      quantizer.load(tile, 0, width, job.from, k, c);
      pending();
      pending = [&b, &job, tile, width, k, c] { store(b, job, tile, width, k, c); };
    }
  pending();
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
