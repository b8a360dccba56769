// The DMA size curve: throughput of back-to-back loads of 128 partitions against bytes a partition, by who
// makes the descriptors.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/machine_config.h"
#include "sim/validation/measurements.h"

namespace trn {

struct DmaCurvePoint {
  std::uint64_t bytes;  // a partition
  double gb_per_s;
  double relative;                  // to 32 KiB in the same mode
  std::optional<double> published;  // the same of the measured machine
};

struct DmaCurve {
  DescriptorMode mode;
  std::vector<DmaCurvePoint> points;  // in the order asked for

  // Geometric mean of how far the points but 32 KiB are off the published ones, whichever way, >= 1; 1
  // without any.
  double error() const;
};

// What has been published of a machine, from validation/core.csv; empty for machines without.
struct PublishedDma {
  std::vector<std::pair<std::uint64_t, double>> curve;  // bytes a partition, relative to 32 KiB
  std::optional<double> one_engine_ns;                  // 32 KiB in 4 rows of 8 KiB
};
PublishedDma published_dma(const std::vector<MeasuredRow>& rows, const std::string& machine);

// Sizes and doublings up to 32 KiB of the published figure.
std::vector<std::uint64_t> default_dma_sizes();
// "32,64,4096"; UsageError naming the entry.
std::vector<std::uint64_t> parse_dma_sizes(const std::string& text);

// CapacityError if a partition does not hold a size, or not the 32 KiB that all are related to; UsageError on
// hardware descriptors where the machine has no unit for them.
DmaCurve dma_curve(DescriptorMode mode, const std::vector<std::uint64_t>& sizes,
                   const PublishedDma& published, const MachineConfig& machine);

// The modes of a machine.
std::vector<DescriptorMode> dma_modes(const MachineConfig& machine);

// Time that 32 KiB in 4 rows of 8 KiB, in one engine's partitions, are moving.
Picoseconds one_engine_transfer(const MachineConfig& machine);

}  // namespace trn
