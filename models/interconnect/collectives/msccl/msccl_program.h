// A collective as somebody wrote it step by step: the content of an MSCCL XML file.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trn {

// Input, output, scratch.
enum class MscclBuffer : std::uint8_t { kIn, kOut, kTemp };
inline constexpr std::array<const char*, 3> kMscclBufferNames{"i", "o", "s"};

enum class MscclStepType : std::uint8_t {
  kSend,
  kReceive,
  kReceiveCopySend,
  kReceiveReduceCopy,
  kReceiveReduceSend,
  kReceiveReduceCopySend,
  kCopy,
  kReduce,
  kNop
};

// What a step does. It adds what is in `source` to what arrived (or, without a receive, to the destination),
// stores the result, and sends it on; a plain send sends the source.
struct MscclStepInfo {
  const char* name;
  bool receives, reduces, stores, sends;
  bool uses_source;
};
inline constexpr std::array<MscclStepInfo, 9> kMscclSteps{{
    {"s", false, false, false, true, true},
    {"r", true, false, true, false, false},
    {"rcs", true, false, true, true, false},
    {"rrc", true, true, true, false, true},
    {"rrs", true, true, false, true, true},
    {"rrcs", true, true, true, true, true},
    {"cpy", false, false, true, false, true},
    {"re", false, true, true, false, true},
    {"nop", false, false, false, false, false},
}};

struct MscclStepId {
  std::uint32_t gpu, block, step;
  std::string text() const {
    return "gpu " + std::to_string(gpu) + " tb " + std::to_string(block) + " step " + std::to_string(step);
  }
};

struct MscclPlace {
  MscclBuffer buffer = MscclBuffer::kIn;
  std::uint32_t chunk = 0;
};

struct MscclDependency {
  std::uint32_t block, step;  // of the same gpu
};

struct MscclStep {
  MscclStepType type = MscclStepType::kNop;
  MscclPlace source, destination;  // of this gpu
  std::uint32_t count = 0;         // chunks; the places continue so far
  std::optional<MscclDependency> after;
  bool awaited = false;  // hasdep: it says when it is done

  const MscclStepInfo& info() const { return kMscclSteps[static_cast<std::size_t>(type)]; }
};

// Runs its steps one after the other. Sends do not wait for the receiver.
struct MscclBlock {
  std::optional<std::uint32_t> send, receive;  // peers
  std::uint32_t channel = 0;
  std::vector<MscclStep> steps;
};

struct MscclGpu {
  std::array<std::uint32_t, 3> chunks{};  // by buffer
  std::vector<MscclBlock> blocks;
};

struct MscclProgram {
  std::string file;  // for messages
  std::string name;
  std::string collective;  // one of kMscclCollectives
  // The collective's data in chunks: what every rank has at the end of an all-gather, or at the beginning of
  // the others.
  std::uint32_t chunks_per_loop = 1;
  bool in_place = false;  // input and output are the same memory
  std::vector<MscclGpu> gpus;
};

inline constexpr std::array<const char*, 9> kMscclCollectives{"allreduce", "allgather", "reducescatter",
                                                              "alltoall",  "broadcast", "reduce",
                                                              "gather",    "scatter",   "custom"};

}  // namespace trn
