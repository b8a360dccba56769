// Units as types: same-kind arithmetic is free, crossing kinds goes through a named function.
#pragma once

#include <cstdint>
#include <limits>

namespace trn {

template <class Tag>
class Quantity {
 public:
  constexpr Quantity() = default;
  constexpr explicit Quantity(std::uint64_t value) : value_(value) {}
  constexpr std::uint64_t count() const { return value_; }

  static constexpr Quantity max() { return Quantity(std::numeric_limits<std::uint64_t>::max()); }

  constexpr Quantity& operator+=(Quantity other) {
    value_ += other.value_;
    return *this;
  }
  friend constexpr Quantity operator+(Quantity a, Quantity b) { return Quantity(a.value_ + b.value_); }
  friend constexpr Quantity operator-(Quantity a, Quantity b) { return Quantity(a.value_ - b.value_); }
  friend constexpr Quantity operator*(Quantity a, std::uint64_t n) { return Quantity(a.value_ * n); }
  friend constexpr bool operator==(Quantity a, Quantity b) { return a.value_ == b.value_; }
  friend constexpr bool operator!=(Quantity a, Quantity b) { return a.value_ != b.value_; }
  friend constexpr bool operator<(Quantity a, Quantity b) { return a.value_ < b.value_; }
  friend constexpr bool operator<=(Quantity a, Quantity b) { return a.value_ <= b.value_; }
  friend constexpr bool operator>(Quantity a, Quantity b) { return a.value_ > b.value_; }
  friend constexpr bool operator>=(Quantity a, Quantity b) { return a.value_ >= b.value_; }

 private:
  std::uint64_t value_ = 0;
};

using Cycles = Quantity<struct CyclesTag>;
using Bytes = Quantity<struct BytesTag>;
using Picoseconds = Quantity<struct PicosecondsTag>;
using Megahertz = Quantity<struct MegahertzTag>;
using MegabytesPerSecond = Quantity<struct MegabytesPerSecondTag>;  // decimal: 10^6 B/s

constexpr Picoseconds nanoseconds(std::uint64_t ns) { return Picoseconds(ns * 1000); }
constexpr double to_us(Picoseconds t) { return static_cast<double>(t.count()) * 1e-6; }
constexpr double to_seconds(Picoseconds t) { return static_cast<double>(t.count()) * 1e-12; }

// 1 MB/s moves 1e6 bytes in 1e12 ps: a rate of r MB/s is r * 1e-6 bytes a picosecond.
constexpr double bytes_per_picosecond(MegabytesPerSecond rate) {
  return static_cast<double>(rate.count()) * 1e-6;
}

// A clock is a frequency, never a rounded period: at 2400 MHz a period is 416.67 ps, and adding up
// 416 ps drifts by 0.16 %. Converting the absolute edge number keeps the error below 1 ps.
struct Clock {
  Megahertz frequency;

  // Rounded down: edge n lies at n * 10^6 / MHz ps.
  constexpr Picoseconds time_of(Cycles edge) const {
    return Picoseconds(edge.count() * 1'000'000 / frequency.count());
  }
  // The smallest edge n with time_of(n) >= t.
  constexpr Cycles first_edge_at_or_after(Picoseconds t) const {
    return Cycles((t.count() * frequency.count() + 999'999) / 1'000'000);
  }
};

}  // namespace trn
