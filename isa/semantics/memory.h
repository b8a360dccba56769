// The memories a program works on, as bytes that know whether they were ever written.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "isa/program.h"
#include "isa/semantics/number.h"

namespace trn {

// fp32: elements of narrower float types keep their fp32 value beside their bytes, so that what is left of an
// error is not rounding. (The x4 types stay as they are: their scales rest on their bits.)
enum class Precision : std::uint8_t { kHardware, kFp32 };
inline constexpr std::array<std::string_view, 2> kPrecisions{"hardware", "fp32"};

enum class Writer : std::uint8_t { kArray, kOther };

// One row of a tensor: its elements as numbers.
class ElementRow {
 public:
  // Pointers at element 0; elements [low, high) lie in the memory.
  ElementRow(DType dtype, std::uint8_t* bytes, std::uint8_t* written, float* exact, std::int64_t low,
             std::int64_t high)
      : dtype_(dtype),
        width_(size_of(dtype)),
        bytes_(bytes),
        written_(written),
        exact_(exact != nullptr && info(dtype).floating && info(dtype).values == 1 ? exact : nullptr),
        low_(low),
        high_(high) {}

  bool written(std::int64_t at) const {
    const std::uint8_t* flags = written_ + place(at);
    for (std::int64_t b = 0; b < width_; ++b)
      if (flags[b] == 0) return false;
    return true;
  }
  // Did the array write it? (If it is written.)
  bool written_by_array(std::int64_t at) const { return (written_[place(at)] & kByArray) != 0; }

  double value(std::int64_t at, std::uint32_t lane) const {
    const std::int64_t byte = place(at);
    if (exact_ != nullptr && (written_[byte] & ~kByArray) == exact_tag())
      return static_cast<double>(exact_[byte]);
    float number = 0;
    if (dtype_ == DType::kFp32) {
      std::memcpy(&number, bytes_ + byte, sizeof number);
      return static_cast<double>(number);
    }
    if (dtype_ == DType::kBf16) {
      std::memcpy(reinterpret_cast<std::uint8_t*>(&number) + 2, bytes_ + byte, 2);
      return static_cast<double>(number);
    }
    return decode(dtype_, bytes_ + byte, lane);
  }

  void set(std::int64_t at, std::uint32_t lane, double value, Writer writer = Writer::kOther) {
    const std::int64_t byte = place(at);
    if (dtype_ == DType::kFp32) {
      const auto number = static_cast<float>(value);
      std::memcpy(bytes_ + byte, &number, sizeof number);
    } else {
      encode(dtype_, value, bytes_ + byte, lane);
    }
    const int tag = (exact_ != nullptr ? exact_tag() : kRaw) | (writer == Writer::kArray ? kByArray : 0);
    std::memset(written_ + byte, tag, static_cast<std::size_t>(width_));
    if (exact_ != nullptr) exact_[byte] = static_cast<float>(value);
  }

  void forget(std::int64_t at) { std::memset(written_ + place(at), 0, static_cast<std::size_t>(width_)); }

 private:
  static constexpr int kRaw = 1;
  static constexpr int kByArray = 0x80;

  // An exact value stands for one type only: bytes read as another one are what they are.
  int exact_tag() const { return 2 + static_cast<int>(dtype_); }
  std::int64_t place(std::int64_t at) const {
    TRN_CHECK(at >= low_ && at < high_, "an operand leaves its memory");
    return at * width_;
  }

  DType dtype_;
  std::int64_t width_;
  std::uint8_t* bytes_;
  std::uint8_t* written_;
  float* exact_;  // by byte; nullptr: not kept
  std::int64_t low_, high_;
};

// Rows of equal length: partitions of SBUF or PSUM, or one row of HBM.
struct ByteArray {
  ByteArray() = default;
  ByteArray(std::uint64_t row_count, std::uint64_t bytes_a_row, Precision precision)
      : rows(row_count),
        row_bytes(bytes_a_row),
        bytes(rows * row_bytes),
        written(rows * row_bytes),
        exact(precision == Precision::kFp32 ? rows * row_bytes : 0) {}

  std::uint64_t rows = 0, row_bytes = 0;
  std::vector<std::uint8_t> bytes;
  std::vector<std::uint8_t> written;
  std::vector<float> exact;
};

// SBUF and PSUM of each core of a rank, as far as its tensors reach, and its tensors in HBM.
class RankMemory {
 public:
  explicit RankMemory(const Program& program, Precision precision = Precision::kHardware);

  // Row `row` of a tensor, as core `core` sees it.
  ElementRow row(std::size_t core, std::uint32_t tensor, std::int64_t row);

  const Program& program() const { return program_; }

 private:
  const Program& program_;
  std::vector<ByteArray> sbuf_, psum_;  // by core
  std::vector<ByteArray> hbm_;          // by tensor; empty for those elsewhere
};

// Offsets of a pattern's elements in a row, in the order of its dimensions.
std::vector<std::int64_t> element_offsets(const AccessPattern& pattern);

}  // namespace trn
