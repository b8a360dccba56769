// What the packet-level DMA engines see of a memory: requests go in, and come out when their data are
// through.
#pragma once

#include <cstdint>
#include <vector>

#include "base/units.h"

namespace trn {

struct MemoryRequest {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  // > 0
  bool write = false;
  std::uint32_t tag = 0;  // returned when it is done
};

struct MemoryTotals {
  Bytes read, written;  // asked for and done
};

// Time never goes back over the calls.
class MemoryPort {
 public:
  virtual ~MemoryPort() = default;
  virtual void request(Picoseconds now, const MemoryRequest& request) = 0;
  // When to call advance() again at the latest; Picoseconds::max() if nothing is under way.
  virtual Picoseconds next() const = 0;
  // Appends the tags of what is done at or before `now`, in order of time.
  virtual void advance(Picoseconds now, std::vector<std::uint32_t>& done) = 0;
  virtual MemoryTotals totals() const = 0;
};

}  // namespace trn
