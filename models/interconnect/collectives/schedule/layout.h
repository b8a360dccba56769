// How the buffers of a collective are cut into blocks.
#pragma once

#include <cstdint>
#include <vector>

namespace trn {

struct ByteRange {
  std::uint64_t offset = 0, length = 0;
};

// A part of every block: slices and channels cut each block at the same fractions.
struct Part {
  double from = 0, to = 1;
};

// Where a block lies in a rank's buffers. Blocks are numbered from 0; where every rank owns one, by rank.
class BlockLayout {
 public:
  // `bytes` in equal blocks, the first ones a granule longer where it does not divide.
  static BlockLayout uniform(std::uint64_t bytes, std::uint32_t blocks, std::uint64_t granule = 1);
  // Blocks of these sizes, in order.
  static BlockLayout sized(const std::vector<std::uint64_t>& sizes, std::uint64_t granule = 1);
  // All-to-all of uneven sizes: `sizes[from * ranks + to]`. The block of (rank, to) lies in the input of
  // `rank` behind those for smaller numbers, and in the output of `to` behind those of smaller ranks.
  static BlockLayout matrix(std::vector<std::uint64_t> sizes, std::uint32_t ranks);
  // Any ranges, also overlapping ones: the same in every buffer.
  static BlockLayout ranges(std::vector<ByteRange> blocks);

  std::uint32_t blocks() const { return blocks_; }
  bool even() const { return kind_ == Kind::kUniform; }
  std::uint64_t bytes() const { return bytes_; }  // of one rank's whole buffer; matrix: of the largest
  // A matrix names the block of `rank` that goes to `block`; else all ranks have the same layout.
  ByteRange source(std::uint32_t rank, std::uint32_t block, Part part) const;
  ByteRange destination(std::uint32_t rank, std::uint32_t block, Part part) const;
  // Of `count` even blocks together, rounded up.
  std::uint64_t part_bytes(std::uint64_t count, Part part) const;

 private:
  enum class Kind { kUniform, kSized, kMatrix, kRanges };
  ByteRange cut(ByteRange block, Part part) const;
  ByteRange block(std::uint32_t number) const;

  Kind kind_ = Kind::kUniform;
  std::uint64_t bytes_ = 0, granule_ = 1;
  std::uint32_t blocks_ = 1;
  std::vector<std::uint64_t> offsets_;  // sized
  std::vector<std::uint64_t> sizes_;    // matrix
  std::vector<ByteRange> ranges_;
};

}  // namespace trn
