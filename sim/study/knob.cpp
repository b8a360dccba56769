#include "sim/study/knob.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace trn {
namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

// The link preset that the shape names, if any.
std::string links_of(const std::vector<ConfigFigure>& figures, const std::string& shape) {
  for (const ConfigFigure& figure : figures)
    if (figure.key == "shapes." + shape + ".links") return figure.value.substr(1, figure.value.size() - 2);
  return "";
}

bool is_number(const ConfigFigure& figure) {
  return !figure.value.empty() &&
         (figure.value[0] == '[' || std::isdigit(static_cast<unsigned char>(figure.value[0])));
}

bool matches(const std::string& pattern, const std::string& key) {
  const std::size_t star = pattern.find('*');
  if (star == std::string::npos) return pattern == key;
  const std::string tail = pattern.substr(star + 1);
  return key.compare(0, star, pattern, 0, star) == 0 && key.size() >= star + tail.size() &&
         key.compare(key.size() - tail.size(), tail.size(), tail) == 0;
}

}  // namespace

const std::vector<Knob>& knobs() {
  static const std::vector<Knob> kKnobs{
      {"tensor_clock", "Tensor engine clock", "Tensor", true, {"neuron_core.tensor.clock_mhz"}},
      {"tensor_limiter",
       "Tensor current limiter window",
       "Tensor",
       false,
       {"neuron_core.tensor.limiter_window_ns"}},
      {"vector_clock",
       "Vector engine clock",
       "Vector, Scalar, GpSimd",
       true,
       {"neuron_core.vector.clock_mhz"}},
      {"scalar_clock",
       "Scalar engine clock",
       "Vector, Scalar, GpSimd",
       true,
       {"neuron_core.scalar.clock_mhz"}},
      {"gpsimd_clock",
       "GpSimd engine clock",
       "Vector, Scalar, GpSimd",
       true,
       {"neuron_core.gpsimd.clock_mhz"}},
      {"semaphore_hop",
       "semaphore hops",
       "Vector, Scalar, GpSimd",
       false,
       {"neuron_core.semaphores.hop_ns", "neuron_core.semaphores.sibling_hop_ns"}},
      {"sbuf",
       "SBUF capacity",
       "SBUF, PSUM",
       true,
       {"neuron_core.sbuf.bytes_per_partition", "neuron_core.sbuf.usable_bytes_per_partition"}},
      {"dma_rate", "DMA engine rate", "DMA", true, {"neuron_core.dma.engine_mb_per_s"}},
      {"dma_row_overhead", "DMA time a row", "DMA", false, {"neuron_core.dma.row_overhead_ps"}},
      {"dma_descriptors",
       "DMA time to make descriptors",
       "DMA",
       false,
       {"neuron_core.dma.hardware_interval_ns", "neuron_core.dma.static_interval_ns"}},
      {"dma_latency",
       "DMA latency",
       "DMA",
       false,
       {"neuron_core.dma.trigger_latency_ns", "neuron_core.dma.completion_latency_ns"}},
      {"hbm_bandwidth", "HBM bandwidth", "HBM", true, {"hbm.stack_mb_per_s"}},
      {"hbm_capacity", "HBM capacity", "HBM", true, {"hbm.capacity_mib"}},
      {"die_to_die", "die-to-die rate", "fabric", true, {"die_to_die.mb_per_s"}},
      {"links",
       "NeuronLink rate",
       "fabric",
       true,
       {"shapes.{shape}.*_mb_per_s", "link_presets.{links}.*_mb_per_s"}},
      {"hop_latency", "NeuronLink hop latency", "fabric", false, {"shapes.{shape}.hop_latency_ns"}},
      {"collective_latency",
       "collective start and step latency",
       "fabric",
       false,
       {"collectives.start_latency_ns", "collectives.step_latency_ns"}},
      {"efa", "EFA rate", "fabric", true, {"efa.mb_per_s", "efa.nic_mb_per_s"}},
  };
  return kKnobs;
}

std::vector<std::string> figures_of(const Knob& knob, const ConfigDocument& document,
                                    const std::string& shape) {
  const std::vector<ConfigFigure> figures = document.figures();
  const std::string links = links_of(figures, shape);
  std::vector<std::string> keys;
  for (const std::string& key : knob.keys) {
    if (links.empty() && key.find("{links}") != std::string::npos) continue;
    const std::string pattern = replaced(replaced(key, "{shape}", shape), "{links}", links);
    for (const ConfigFigure& figure : figures)
      if (matches(pattern, figure.key) && is_number(figure)) keys.push_back(figure.key);
  }
  return keys;
}

std::vector<std::string> expand_assignment(const std::string& assignment, const ConfigDocument& document,
                                           const std::string& shape) {
  const std::size_t equals = std::min(assignment.find('='), assignment.size());
  for (const Knob& knob : knobs()) {
    if (assignment.compare(0, equals, knob.name) != 0) continue;
    const std::vector<std::string> keys = figures_of(knob, document, shape);
    if (keys.empty())
      throw UsageError("--set " + assignment + ": " + document.name() + ':' + shape + " has no " +
                       knob.label);
    std::vector<std::string> all;
    for (const std::string& key : keys) all.push_back(key + assignment.substr(equals));
    return all;
  }
  return {assignment};
}

std::vector<std::string> expand_all(const std::vector<std::string>& assignments,
                                    const ConfigDocument& document, const std::string& shape) {
  std::vector<std::string> all;
  for (const std::string& assignment : assignments)
    for (std::string& figure : expand_assignment(assignment, document, shape))
      all.push_back(std::move(figure));
  return all;
}

std::string times_better(const Knob& knob, double factor) {
  return fmt::format("{:.6g}x", knob.more_is_better ? factor : 1 / factor);
}

}  // namespace trn
