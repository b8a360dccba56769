#include "isa/semantics/memory.h"

namespace trn {

RankMemory::RankMemory(const Program& program, std::uint64_t partitions, std::uint64_t sbuf_bytes,
                       std::uint64_t psum_bytes)
    : program_(program) {
  for (std::size_t c = 0; c < program.cores.size(); ++c) {
    sbuf_.emplace_back(partitions, sbuf_bytes);
    psum_.emplace_back(partitions, psum_bytes);
  }
  for (const TensorDecl& tensor : program.tensors)
    hbm_.push_back(tensor.space == Space::kHbm ? ByteArray(1, tensor.rows() * tensor.row_bytes())
                                               : ByteArray());
}

ElementBytes RankMemory::element(std::size_t core, std::uint32_t tensor, std::int64_t row,
                                 std::int64_t offset) {
  const TensorDecl& decl = program_.tensors[tensor];
  const std::uint64_t width = size_of(decl.dtype);
  if (decl.space == Space::kHbm) {
    const std::int64_t index = row * static_cast<std::int64_t>(decl.row_elements()) + offset;
    return hbm_[tensor].at(0, static_cast<std::uint64_t>(index) * width);
  }
  ByteArray& memory = decl.space == Space::kSbuf ? sbuf_[core] : psum_[core];
  return memory.at(static_cast<std::uint64_t>(row),
                   decl.address + static_cast<std::uint64_t>(offset) * width);
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
