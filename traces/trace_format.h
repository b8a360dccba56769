// What reader and writer agree on besides trace.proto.
#pragma once

#include <cstddef>
#include <cstdint>

namespace trn::trace_format {

inline constexpr const char* kMagic = "TRNTRC1\n";
inline constexpr std::size_t kMagicBytes = 8;
inline constexpr std::uint32_t kVersion = 3;
inline constexpr std::size_t kNodesPerChunk = 4096;  // top-level nodes: bounds the memory of a chunk
inline constexpr std::uint32_t kMaxChunkBytes = 1u << 30;

inline constexpr std::uint32_t kAccumulate = 1;
inline constexpr std::uint32_t kDoubleRow = 2;
inline constexpr std::uint32_t kPostAtRead = 4;
inline constexpr std::uint32_t kPostSibling = 8;
inline constexpr std::uint32_t kReverse0 = 32;
inline constexpr std::uint32_t kReverse1 = 64;
inline constexpr std::uint32_t kSparse = 128;

}  // namespace trn::trace_format
