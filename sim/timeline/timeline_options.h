// What a timeline shows.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "sim/timeline/time_window.h"

namespace trn {

enum class TimelineLevel : std::uint8_t {
  kOperation,    // regions and collectives
  kInstruction,  // also instructions, transfers and the moves of collectives
  kPacket        // also what each DMA engine works on, where packets are simulated
};
inline constexpr std::array<std::string_view, 3> kTimelineLevels{"op", "instruction", "packet"};

struct TimelineOptions {
  std::string path;
  TimeWindow window;
  TimelineLevel level = TimelineLevel::kInstruction;
  // Viewers in a browser fail at some hundreds of MB.
  std::uint64_t limit_bytes = 300'000'000;
};

}  // namespace trn
