// The ranks of a group in teams of equal size: those of a chip, of a ring, of a torus dimension.
#pragma once

#include <cstdint>
#include <vector>

namespace trn {

// Every rank has a place in its team.
class Teams {
 public:
  // Ranks as mixed-radix numbers: the digit with this stride is the place.
  static Teams strided(std::uint32_t stride, std::uint32_t size);
  // Every `size` entries of `order`, a permutation of the ranks, are a team.
  static Teams ordered(std::vector<std::uint32_t> order, std::uint32_t size);

  std::uint32_t size() const { return size_; }
  std::uint32_t place(std::uint32_t rank) const {
    return order_.empty() ? rank / stride_ % size_ : index_[rank] % size_;
  }
  std::uint32_t member(std::uint32_t rank, std::uint32_t place) const {
    if (order_.empty()) return rank + place * stride_ - rank / stride_ % size_ * stride_;
    return order_[index_[rank] / size_ * size_ + place];
  }
  // So many places further on, wrapping around; backwards if negative.
  std::uint32_t teammate(std::uint32_t rank, std::int64_t offset) const {
    const std::int64_t size = size_;
    return member(rank, static_cast<std::uint32_t>(((place(rank) + offset) % size + size) % size));
  }

 private:
  Teams() = default;

  std::uint32_t size_ = 1;
  std::uint32_t stride_ = 1;
  std::vector<std::uint32_t> order_;  // empty: strided
  std::vector<std::uint32_t> index_;  // its inverse
};

}  // namespace trn
