#include "sim/study/subsystem.h"

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace trn {
namespace {

nlohmann::json::json_pointer pointer(const std::string& key) {
  nlohmann::json::json_pointer out;
  for (const std::string& name : split(key, '.')) out /= name;
  return out;
}

}  // namespace

const std::vector<Subsystem>& subsystems() {
  static const std::vector<Subsystem> kSubsystems{
      {"Tensor", {"neuron_core.tensor", "name", "generation", "chip", "lnc", "runtime"}},
      {"Vector, Scalar, GpSimd",
       {"neuron_core.vector", "neuron_core.scalar", "neuron_core.gpsimd", "neuron_core.sync",
        "neuron_core.sequencer", "neuron_core.semaphores"}},
      {"SBUF, PSUM", {"neuron_core.sbuf", "neuron_core.psum"}},
      {"DMA", {"neuron_core.dma"}},
      {"HBM", {"hbm"}},
      {"fabric", {"shapes", "link", "link_presets", "collectives", "efa", "die_to_die"}},
  };
  return kSubsystems;
}

ConfigDocument with_subsystem(const ConfigDocument& a, const ConfigDocument& b, const Subsystem& subsystem) {
  nlohmann::json json = a.json();
  for (const std::string& key : subsystem.keys) {
    const auto at = pointer(key);
    if (b.json().contains(at))
      json[at] = b.json()[at];
    else if (json.contains(at))
      json[at.parent_pointer()].erase(at.back());
  }
  return ConfigDocument::parse(json.dump(), a.name() + " with " + subsystem.name + " of " + b.name());
}

}  // namespace trn
