// Access patterns on one HBM stack, and what the channel model makes of them.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "models/memory/hbm/hbm_stack.h"

namespace trn {

enum class PatternKind : std::uint8_t { kStream, kStrided, kRandom };
inline constexpr std::array<std::string_view, 3> kPatternKinds{"stream", "strided", "random"};

struct MemoryPattern {
  PatternKind kind = PatternKind::kStream;
  std::uint64_t request_bytes = 64;
  std::uint64_t stride_bytes = 0;    // strided: from one request's start to the next one's
  std::uint64_t requests = 100'000;  // of all requesters
  std::uint64_t requesters = 1;      // each on a part of its own of the footprint
  std::uint64_t outstanding = 0;     // requests of a requester in flight; 0: enough to keep the stack busy
  std::uint64_t write_percent = 0;   // of the requests
  std::uint64_t footprint_bytes = std::uint64_t{1} << 30;
  std::uint64_t seed = 1;
};

struct MemoryResult {
  std::uint64_t bytes = 0;  // asked for: of a burst only in part used, the part
  Picoseconds time;         // from the first request to the last byte
  double bytes_per_second = 0;
  double efficiency = 0;  // of the stack's peak
  double row_hit_rate = 0;
  std::uint64_t bursts = 0, activations = 0, refreshes = 0;
  std::array<double, 4> latency_ns{};                   // 50, 90, 99, 100 %
  std::array<double, kDramLimits.size()> lost_share{};  // of the data buses' time, by what they waited for
  DramLimit limit = DramLimit::kRequests;               // the largest of them
};

// Enough requests in flight to keep a stack busy over its latency: `outstanding` where the pattern says 0.
std::uint64_t default_outstanding(const MemoryPattern& pattern, const DramConfig& dram);

// Of the peak, with start and end left out: from a quarter to nine tenths of the requests.
double steady_efficiency(const MemoryPattern& pattern, const DramConfig& dram);

MemoryResult run_pattern(const MemoryPattern& pattern, const DramConfig& dram);

}  // namespace trn
