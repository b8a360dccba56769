// How much of SBUF or PSUM holds data that is still to be read, over time.
#pragma once

#include <vector>

#include "isa/program.h"
#include "sim/timeline/binned_series.h"

namespace trn {

// Bytes count from the first write to the last read before they are written anew; what is never read, as long
// as it is written. What a program sets aside is more: it also keeps places that hold nothing.
class MemoryUse {
 public:
  MemoryUse(const Program& program, Space space, const TimeWindow& window);

  // An instruction or transfer uses all of a tensor's rows and bytes over this time.
  void access(std::uint32_t tensor, bool written, Picoseconds begin, Picoseconds end);
  void finish();
  const BinnedSeries& bytes() const { return bytes_; }

 private:
  // Bytes of a partition that all tensors take together or not at all.
  struct Segment {
    std::uint64_t bytes = 0;  // of a partition
    bool holds = false, read = false;
    std::uint64_t partitions = 0;
    Picoseconds begin{}, end{};
  };
  struct Span {
    std::size_t first = 0, last = 0;  // [first, last)
  };
  void close(Segment& segment);

  const Program& program_;
  std::vector<Segment> segments_;
  std::vector<Span> spans_;  // by tensor; empty for those of other spaces
  BinnedSeries bytes_;
};

}  // namespace trn
