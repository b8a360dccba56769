#include "models/memory/dma/dma_cost.h"

#include <algorithm>

namespace trn {
namespace {

constexpr std::uint64_t kMaxRowBytes = 65536;  // a descriptor's 16-bit length [official: driver udma.h]

// Bytes that lie side by side at the inner end of the pattern.
std::uint64_t contiguous_bytes(const AccessPattern& pattern, const TensorDecl& tensor) {
  std::uint64_t run = 1;
  bool whole = true;
  for (std::uint32_t d = pattern.dim_count; d-- > 0;) {
    if (pattern.dims[d].num > 1 && pattern.dims[d].step != static_cast<std::int64_t>(run)) {
      whole = false;
      break;
    }
    run *= pattern.dims[d].num;
  }
  if (whole && tensor.space == Space::kHbm && run == tensor.row_elements()) run *= pattern.rows;
  return run * size_of(tensor.dtype);
}

std::uint64_t ceil_div(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

}  // namespace

TransferShape transfer_shape(const Instruction& dma, const Program& program, const CoreConfig& core) {
  const TensorDecl& dst = program.tensors[dma.dst.tensor];
  const TensorDecl& src = program.tensors[dma.src[0].tensor];
  const std::uint64_t elements = dma.dst.elements_per_row() * dma.dst.rows;
  const std::uint64_t width = std::max(size_of(dst.dtype), size_of(src.dtype));
  const auto run_elements = [&](const AccessPattern& p, const TensorDecl& t) {
    return contiguous_bytes(p, t) / size_of(t.dtype);
  };
  const std::uint64_t run = std::min(run_elements(dma.dst, dst), run_elements(dma.src[0], src));

  TransferShape shape;
  shape.bytes = Bytes(elements * width);
  if (src.space == Space::kHbm) shape.hbm_read = Bytes(elements * size_of(src.dtype));
  if (dst.space == Space::kHbm) shape.hbm_write = Bytes(elements * size_of(dst.dtype));

  const DmaConfig& config = core.dma;
  std::uint64_t engine_rows = 0;
  std::uint64_t engine_bytes = 0;
  if (dst.space == Space::kHbm && src.space == Space::kHbm) {
    const std::uint64_t row_bytes =
        std::min({run * width, kMaxRowBytes,
                  std::max<std::uint64_t>(512, ceil_div(elements * width, config.engines))});
    shape.rows = ceil_div(elements * width, row_bytes);
    engine_rows = ceil_div(shape.rows, config.engines);
    engine_bytes = std::min(engine_rows * row_bytes, elements * width);
  } else {
    const std::uint64_t partitions = dst.space == Space::kHbm ? dma.src[0].rows : dma.dst.rows;
    const std::uint64_t partition_bytes = ceil_div(elements, partitions) * width;
    const std::uint64_t rows_per_partition = ceil_div(partition_bytes, std::min(run * width, kMaxRowBytes));
    const std::uint64_t per_engine = std::min(ceil_div(core.sbuf.partitions, config.engines), partitions);
    shape.rows = partitions * rows_per_partition;
    engine_rows = per_engine * rows_per_partition;
    engine_bytes = per_engine * partition_bytes;
  }
  // A transpose keeps the source's rows but moves at a fraction of the rate.
  const std::uint64_t rate =
      config.engine_rate.count() *
      (dma.kind == static_cast<std::uint8_t>(DmaKind::kTranspose) ? config.transpose_efficiency_percent
                                                                  : 100) /
      100;
  const std::uint64_t moving = ceil_div(engine_bytes * 1'000'000, rate);
  shape.row_time = config.row_overhead * engine_rows;
  shape.slow_rate_time = Picoseconds(moving - ceil_div(engine_bytes * 1'000'000, config.engine_rate.count()));
  shape.slowest_engine = shape.row_time + Picoseconds(moving);
  return shape;
}

Picoseconds descriptor_time(const TransferShape& shape, DescriptorMode mode, const DmaConfig& dma) {
  switch (mode) {
    case DescriptorMode::kStatic:
      return dma.static_interval;
    case DescriptorMode::kHardware:
      return dma.hardware_interval;
    case DescriptorMode::kSoftware:
      break;
  }
  return dma.software_interval + dma.software_row * shape.rows;
}

Picoseconds start_delay(const TransferShape& shape, DescriptorMode mode, const DmaConfig& dma) {
  return std::max(dma.trigger_latency, descriptor_time(shape, mode, dma));
}

}  // namespace trn
