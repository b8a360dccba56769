#include "models/interconnect/collectives/msccl/msccl_memory.h"

#include <algorithm>

#include "base/error.h"

namespace trn {
namespace {

constexpr std::uint32_t kMostScratch = 1u << 24;

}  // namespace

MscclMemory::MscclMemory(const MscclProgram& program) : file_(program.file) {
  const std::size_t count = program.gpus.size();
  for (std::uint32_t gpu = 0; gpu < count; ++gpu) {
    Rank rank{program.gpus[gpu].chunks, {}, false};
    auto& [input, output, scratch] = rank.chunks;
    rank.joined = program.in_place && input > 0 && output > 0;
    if (rank.joined) {
      if (program.collective == "allgather" && input * count <= output) rank.first[0] = gpu * input;
      if (program.collective == "reducescatter" && output * count <= input) rank.first[1] = gpu * output;
      input = std::max(rank.first[0] + input, rank.first[1] + output);
      output = 0;
    }
    ranks_.push_back(rank);
  }
}

MscclPlace MscclMemory::locate(std::uint32_t gpu, const MscclPlace& place) const {
  const Rank& rank = ranks_[gpu];
  if (!rank.joined || place.buffer == MscclBuffer::kTemp) return place;
  return {MscclBuffer::kIn, place.chunk + rank.first[static_cast<std::size_t>(place.buffer)]};
}

MscclPlace MscclMemory::add_scratch(std::uint32_t gpu, std::uint32_t count) {
  std::uint32_t& scratch = ranks_[gpu].chunks[static_cast<std::size_t>(MscclBuffer::kTemp)];
  if (count > kMostScratch - scratch)
    throw ProgramError(file_ + ": gpu " + std::to_string(gpu) + ": more than " +
                       std::to_string(kMostScratch) +
                       " chunks of what arrives have to wait for their place; receive them earlier");
  scratch += count;
  return {MscclBuffer::kTemp, scratch - count};
}

}  // namespace trn
