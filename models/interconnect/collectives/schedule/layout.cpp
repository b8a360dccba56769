#include "models/interconnect/collectives/schedule/layout.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace trn {

BlockLayout BlockLayout::uniform(std::uint64_t bytes, std::uint32_t blocks, std::uint64_t granule) {
  TRN_CHECK(blocks > 0 && granule > 0, "a layout of no blocks");
  BlockLayout layout;
  layout.bytes_ = bytes;
  layout.blocks_ = blocks;
  layout.granule_ = granule;
  return layout;
}

BlockLayout BlockLayout::sized(const std::vector<std::uint64_t>& sizes, std::uint64_t granule) {
  BlockLayout layout;
  layout.kind_ = Kind::kSized;
  layout.granule_ = granule;
  layout.blocks_ = static_cast<std::uint32_t>(sizes.size());
  layout.offsets_.push_back(0);
  for (const std::uint64_t size : sizes) layout.offsets_.push_back(layout.offsets_.back() + size);
  layout.bytes_ = layout.offsets_.back();
  return layout;
}

BlockLayout BlockLayout::matrix(std::vector<std::uint64_t> sizes, std::uint32_t ranks) {
  TRN_CHECK(sizes.size() == std::size_t{ranks} * ranks, "a matrix that is not square");
  BlockLayout layout;
  layout.kind_ = Kind::kMatrix;
  layout.blocks_ = ranks;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    std::uint64_t row = 0, column = 0;
    for (std::uint32_t other = 0; other < ranks; ++other) {
      row += sizes[std::size_t{r} * ranks + other];
      column += sizes[std::size_t{other} * ranks + r];
    }
    layout.bytes_ = std::max({layout.bytes_, row, column});
  }
  layout.sizes_ = std::move(sizes);
  return layout;
}

BlockLayout BlockLayout::ranges(std::vector<ByteRange> blocks) {
  BlockLayout layout;
  layout.kind_ = Kind::kRanges;
  layout.blocks_ = static_cast<std::uint32_t>(blocks.size());
  for (const ByteRange& block : blocks) layout.bytes_ = std::max(layout.bytes_, block.offset + block.length);
  layout.ranges_ = std::move(blocks);
  return layout;
}

ByteRange BlockLayout::block(std::uint32_t number) const {
  if (kind_ == Kind::kRanges) return ranges_[number];
  if (kind_ == Kind::kSized) return {offsets_[number], offsets_[number + 1] - offsets_[number]};
  const std::uint64_t granules = (bytes_ + granule_ - 1) / granule_;
  const std::uint64_t each = granules / blocks_, longer = granules % blocks_;
  const std::uint64_t from =
      std::min(bytes_, (each * number + std::min<std::uint64_t>(number, longer)) * granule_);
  const std::uint64_t to =
      std::min(bytes_, (each * (number + 1) + std::min<std::uint64_t>(number + 1, longer)) * granule_);
  return {from, to - from};
}

ByteRange BlockLayout::cut(ByteRange block, Part part) const {
  const auto at = [&](double fraction) {
    if (fraction >= 1) return block.length;
    const std::uint64_t whole = block.length / granule_;
    const double granules = std::floor(static_cast<double>(whole) * fraction + 0.5);
    return std::min(block.length, static_cast<std::uint64_t>(granules) * granule_);
  };
  const std::uint64_t from = at(part.from), to = at(part.to);
  return {block.offset + from, to - from};
}

ByteRange BlockLayout::source(std::uint32_t rank, std::uint32_t number, Part part) const {
  if (kind_ != Kind::kMatrix) return cut(block(number), part);
  std::uint64_t offset = 0;
  for (std::uint32_t b = 0; b < number; ++b) offset += sizes_[std::size_t{rank} * blocks_ + b];
  return cut({offset, sizes_[std::size_t{rank} * blocks_ + number]}, part);
}

ByteRange BlockLayout::destination(std::uint32_t rank, std::uint32_t number, Part part) const {
  if (kind_ != Kind::kMatrix) return cut(block(number), part);
  std::uint64_t offset = 0;
  for (std::uint32_t b = 0; b < number; ++b) offset += sizes_[std::size_t{b} * blocks_ + rank];
  return cut({offset, sizes_[std::size_t{number} * blocks_ + rank]}, part);
}

std::uint64_t BlockLayout::part_bytes(std::uint64_t count, Part part) const {
  const double exact = static_cast<double>(bytes_) * static_cast<double>(count) /
                       static_cast<double>(blocks_) * (part.to - part.from);
  // Fractions such as 1/3 leave dust behind: what is whole but for rounding is whole.
  return static_cast<std::uint64_t>(std::ceil(exact - 1e-9 * std::max(1.0, exact)));
}

}  // namespace trn
