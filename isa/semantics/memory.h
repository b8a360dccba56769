// The memories a program works on, as bytes that know whether they were ever written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/program.h"

namespace trn {

// What a memory holds of one tensor element.
struct ElementBytes {
  std::uint8_t* bytes;
  std::uint8_t* written;  // a flag a byte
};

// Rows of equal length: partitions of SBUF or PSUM, or one row of HBM.
class ByteArray {
 public:
  ByteArray() = default;
  ByteArray(std::uint64_t rows, std::uint64_t row_bytes)
      : row_bytes_(row_bytes), bytes_(rows * row_bytes), written_(rows * row_bytes) {}

  ElementBytes at(std::uint64_t row, std::uint64_t byte) {
    const std::uint64_t index = row * row_bytes_ + byte;
    TRN_CHECK(index < bytes_.size(), "an operand leaves its memory");
    return {bytes_.data() + index, written_.data() + index};
  }

 private:
  std::uint64_t row_bytes_ = 0;
  std::vector<std::uint8_t> bytes_;
  std::vector<std::uint8_t> written_;
};

// SBUF and PSUM of each core of a rank, and its tensors in HBM.
class RankMemory {
 public:
  RankMemory(const Program& program, std::uint64_t partitions, std::uint64_t sbuf_bytes,
             std::uint64_t psum_bytes);

  // Element `offset` of row `row` of a tensor, as core `core` sees it.
  ElementBytes element(std::size_t core, std::uint32_t tensor, std::int64_t row, std::int64_t offset);

  const Program& program() const { return program_; }

 private:
  const Program& program_;
  std::vector<ByteArray> sbuf_, psum_;  // by core
  std::vector<ByteArray> hbm_;          // by tensor; empty for those elsewhere
};

// Offsets of a pattern's elements in a row, in the order of its dimensions.
std::vector<std::int64_t> element_offsets(const AccessPattern& pattern);

}  // namespace trn
