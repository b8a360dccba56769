#include "sim/timeline/memory_use.h"

#include <algorithm>

namespace trn {

MemoryUse::MemoryUse(const Program& program, Space space, const TimeWindow& window)
    : program_(program), spans_(program.tensors.size()), bytes_(window) {
  std::vector<std::uint64_t> cuts;
  for (const TensorDecl& tensor : program.tensors) {
    if (tensor.space != space) continue;
    cuts.push_back(tensor.address);
    cuts.push_back(tensor.address + tensor.row_bytes());
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  for (std::size_t c = 0; c + 1 < cuts.size(); ++c) segments_.push_back({cuts[c + 1] - cuts[c]});
  const auto place = [&](std::uint64_t address) {
    return static_cast<std::size_t>(std::lower_bound(cuts.begin(), cuts.end(), address) - cuts.begin());
  };
  for (std::size_t t = 0; t < program.tensors.size(); ++t) {
    const TensorDecl& tensor = program.tensors[t];
    if (tensor.space == space)
      spans_[t] = {place(tensor.address), place(tensor.address + tensor.row_bytes())};
  }
}

void MemoryUse::access(std::uint32_t tensor, bool written, Picoseconds begin, Picoseconds end) {
  const std::uint64_t partitions = program_.tensors[tensor].rows();
  for (std::size_t s = spans_[tensor].first; s < spans_[tensor].last; ++s) {
    Segment& segment = segments_[s];
    // Data that is being replaced is gone when its successor comes, if a part of it is read after that.
    if (segment.holds && segment.read && written) {
      close(segment);
      segment.begin = std::max(begin, segment.end);
    } else if (!segment.holds) {
      segment.begin = begin;
      segment.end = end;
    }
    segment.end = std::max(segment.end, end);
    segment.partitions = segment.holds ? std::max(segment.partitions, partitions) : partitions;
    segment.holds = true;
    segment.read = !written;
  }
}

void MemoryUse::close(Segment& segment) {
  bytes_.add(segment.begin, segment.end, static_cast<double>(segment.bytes * segment.partitions));
  segment.holds = false;
}

void MemoryUse::finish() {
  for (Segment& segment : segments_)
    if (segment.holds) close(segment);
}

}  // namespace trn
