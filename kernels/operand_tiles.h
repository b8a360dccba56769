// A gemm's operand in SBUF: slabs of K on partitions, and for MX their e8m0 scales beside them.
#pragma once

#include <string>

#include "kernels/builder/core_builder.h"

namespace trn {

inline constexpr std::uint64_t kSlabRows = 128;  // of a slab: the array's

// Rows of K that lie in one partition of a slab: planes of a double row in FP8, values of an element in MX.
inline std::uint64_t rows_a_partition(DType dtype, const MachineConfig& machine) {
  return is_fp8(dtype) && machine.core.tensor.fp8_double_row ? 2 : info(dtype).values;
}

struct OperandTile {
  Tile* values = nullptr;
  Tile* scales = nullptr;  // MX only
};

// Columns of a slab, as the array's instructions take them.
struct OperandView {
  View values;
  View scales;  // without a tile, but for MX
};

class OperandPool {
 public:
  OperandPool(CoreBuilder& builder, const std::string& name, DType dtype, std::uint64_t columns,
              std::size_t slots)
      : values_(builder.sbuf_pool(name, dtype, columns, slots)),
        scales_(is_mx(dtype) ? &builder.sbuf_pool(name + "_scales", DType::kE8M0, columns, slots) : nullptr) {
  }

  OperandTile next() { return {&values_.next(), scales_ == nullptr ? nullptr : &scales_->next()}; }

  // Of each four partitions' worth of scales QMX writes one; the array's instructions span them all.
  void clear_scales(CoreBuilder& builder) {
    for (std::size_t slot = 0; scales_ != nullptr && slot < scales_->slots(); ++slot)
      builder.compute(Engine::kVector, Opcode::kFill, View::whole(scales_->next()), {});
  }

  static std::uint64_t slot_bytes(DType dtype, std::uint64_t columns) {
    const auto aligned = [](std::uint64_t bytes) { return (bytes + 63) / 64 * 64; };
    return aligned(columns * size_of(dtype)) + (is_mx(dtype) ? aligned(columns) : 0);
  }

 private:
  TilePool& values_;
  TilePool* scales_;
};

}  // namespace trn
