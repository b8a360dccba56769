#include "sim/run/dma_curve.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/error.h"
#include "base/text.h"
#include "kernels/registry.h"
#include "sim/run/simulation.h"

namespace trn {
namespace {

constexpr std::uint64_t kReference = 32768;  // bytes a partition: the figure's plateau

RunResult copy(const std::map<std::string, std::string>& arguments, const MachineConfig& machine) {
  const KernelRow& kernel = find_kernel("dma_copy");
  return run_program(kernel.build(kernel_arguments(kernel, arguments), machine, 1), machine);
}

// As the rows core-dma-curve-* of the validation are run: 200 transfers, the first one's latency included.
double gb_per_s(DescriptorMode mode, std::uint64_t bytes, const MachineConfig& machine) {
  const RunResult r = copy({{"rows", "128"},
                            {"bytes", std::to_string(bytes)},
                            {"count", "200"},
                            {"dge", std::string(kDescriptorModes[static_cast<std::size_t>(mode)])}},
                           machine);
  return static_cast<double>(r.hbm_read.count()) / to_us(r.time) * 1e-3;
}

}  // namespace

double DmaCurve::error() const {
  double sum = 0;
  double count = 0;
  for (const DmaCurvePoint& point : points)
    if (point.published && point.bytes != kReference) {  // 1 by definition
      sum += std::fabs(std::log(point.relative / *point.published));
      ++count;
    }
  return count == 0 ? 1 : std::exp(sum / count);
}

PublishedDma published_dma(const std::vector<MeasuredRow>& rows, const std::string& machine) {
  const std::string prefix = "core-dma-curve-";
  PublishedDma published;
  for (const MeasuredRow& row : rows) {
    if (row.generation != machine) continue;
    if (row.id.rfind(prefix, 0) == 0)
      published.curve.emplace_back(std::stoull(row.id.substr(prefix.size())), row.value);
    if (row.id == machine + "-core-dma-1eng-32k") published.one_engine_ns = row.value;
  }
  return published;
}

std::vector<std::uint64_t> default_dma_sizes() {
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = 32; size <= kReference; size *= 2) sizes.push_back(size);
  return sizes;
}

std::vector<std::uint64_t> parse_dma_sizes(const std::string& text) {
  std::vector<std::uint64_t> sizes;
  std::istringstream words(text + ',');
  for (std::string word; std::getline(words, word, ',');) {
    const bool digits = !word.empty() && word.size() < 10 &&
                        std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
    const std::uint64_t size = digits ? std::stoull(word) : 0;
    if (size == 0 || size % 4 != 0)
      throw UsageError("--sizes: \"" + word +
                       "\": expected bytes a partition, a multiple of 4 (one fp32) of 4 or more, such as "
                       "32,64,4096");
    sizes.push_back(size);
  }
  return sizes;
}

std::vector<DescriptorMode> dma_modes(const MachineConfig& machine) {
  std::vector<DescriptorMode> modes{DescriptorMode::kStatic};
  if (machine.core.dma.hardware_units > 0) modes.push_back(DescriptorMode::kHardware);
  modes.push_back(DescriptorMode::kSoftware);
  return modes;
}

DmaCurve dma_curve(DescriptorMode mode, const std::vector<std::uint64_t>& sizes,
                   const PublishedDma& published, const MachineConfig& machine) {
  if (mode == DescriptorMode::kHardware && machine.core.dma.hardware_units == 0)
    throw UsageError("--mode hw: " + machine.name +
                     " has no hardware descriptor generation; static and sw are left");
  const std::uint64_t room = machine.core.sbuf.usable_bytes_per_partition.count();
  for (const std::uint64_t size : sizes)
    if (size > room)
      throw CapacityError("--sizes: " + with_commas(size) + " B a partition; the SBUF of " + machine.name +
                          " has " + with_commas(room) + " B usable");
  if (kReference > room)
    throw CapacityError("the curve is relative to 32 KiB a partition; the SBUF of " + machine.name + " has " +
                        with_commas(room) + " B usable");
  const double reference = gb_per_s(mode, kReference, machine);
  DmaCurve curve{mode, {}};
  for (const std::uint64_t size : sizes) {
    const double rate = size == kReference ? reference : gb_per_s(mode, size, machine);
    DmaCurvePoint& point = curve.points.emplace_back(DmaCurvePoint{size, rate, rate / reference, {}});
    for (const auto& [bytes, value] : published.curve)
      if (bytes == size) point.published = value;
  }
  return curve;
}

Picoseconds one_engine_transfer(const MachineConfig& machine) {
  return copy({{"rows", "4"}, {"bytes", "8192"}, {"count", "1"}}, machine).dma_active;
}

}  // namespace trn
