// The five instruction sequencers of a NeuronCore.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace trn {

// The order is the arbitration order: at equal times the lower engine reserves first.
enum class Engine : std::uint8_t { kTensor, kVector, kScalar, kGpSimd, kSync };
inline constexpr std::size_t kEngineCount = 5;

struct EngineInfo {
  Engine engine;
  std::string_view short_name;  // in .tasm, as the Neuron tools print it
  std::string_view name;
};

inline constexpr std::array<EngineInfo, kEngineCount> kEngines{{
    {Engine::kTensor, "PE", "Tensor"},
    {Engine::kVector, "DVE", "Vector"},
    {Engine::kScalar, "ACT", "Scalar"},
    {Engine::kGpSimd, "POOL", "GpSimd"},
    {Engine::kSync, "SP", "Sync"},
}};

constexpr std::size_t index_of(Engine engine) { return static_cast<std::size_t>(engine); }
constexpr std::string_view short_name(Engine engine) { return kEngines[index_of(engine)].short_name; }

using EngineMask = std::uint8_t;
constexpr EngineMask mask_of(Engine engine) { return static_cast<EngineMask>(1u << index_of(engine)); }

}  // namespace trn
