#include "isa/semantics/memory.h"

#include <algorithm>

namespace trn {

RankMemory::RankMemory(const Program& program, Precision precision) : program_(program) {
  std::uint64_t rows = 0, sbuf_bytes = 0, psum_bytes = 0;
  for (const TensorDecl& tensor : program.tensors) {
    const bool hbm = tensor.space == Space::kHbm;
    hbm_.push_back(hbm ? ByteArray(1, tensor.rows() * tensor.row_bytes(), precision) : ByteArray());
    if (hbm) continue;
    rows = std::max(rows, tensor.rows());
    std::uint64_t& bytes = tensor.space == Space::kSbuf ? sbuf_bytes : psum_bytes;
    bytes = std::max(bytes, tensor.address + tensor.row_bytes());
  }
  for (std::size_t c = 0; c < program.cores.size(); ++c) {
    sbuf_.emplace_back(rows, sbuf_bytes, precision);
    psum_.emplace_back(rows, psum_bytes, precision);
  }
}

ElementRow RankMemory::row(std::size_t core, std::uint32_t tensor, std::int64_t row) {
  const TensorDecl& decl = program_.tensors[tensor];
  const auto width = static_cast<std::int64_t>(size_of(decl.dtype));
  TRN_CHECK(row >= 0 && static_cast<std::uint64_t>(row) < decl.rows(), "an operand leaves its memory");
  const auto make = [&](ByteArray& memory, std::uint64_t begin, std::int64_t low, std::int64_t high) {
    float* const exact = memory.exact.empty() ? nullptr : memory.exact.data() + begin;
    return ElementRow(decl.dtype, memory.bytes.data() + begin, memory.written.data() + begin, exact, low,
                      high);
  };
  if (decl.space == Space::kHbm) {
    const std::int64_t before = row * static_cast<std::int64_t>(decl.row_elements());
    return make(hbm_[tensor], static_cast<std::uint64_t>(before * width), -before,
                static_cast<std::int64_t>(decl.rows() * decl.row_elements()) - before);
  }
  ByteArray& memory = decl.space == Space::kSbuf ? sbuf_[core] : psum_[core];
  const auto before = static_cast<std::int64_t>(decl.address);
  return make(memory, static_cast<std::uint64_t>(row) * memory.row_bytes + decl.address, -before / width,
              (static_cast<std::int64_t>(memory.row_bytes) - before) / width);
}

std::vector<std::int64_t> element_offsets(const AccessPattern& pattern) {
  std::vector<std::int64_t> offsets{pattern.offset};
  for (std::uint32_t d = 0; d < pattern.dim_count; ++d) {
    std::vector<std::int64_t> next;
    next.reserve(offsets.size() * pattern.dims[d].num);
    for (const std::int64_t offset : offsets)
      for (std::uint32_t i = 0; i < pattern.dims[d].num; ++i)
        next.push_back(offset + static_cast<std::int64_t>(pattern.dims[d].step) * i);
    offsets = std::move(next);
  }
  return offsets;
}

}  // namespace trn
