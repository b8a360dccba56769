// Shapes for tests: by name, or as JSON without provenance.
#pragma once

#include <string>
#include <vector>

#include "models/machine_config.h"

namespace trn {

// "trn2:instance", with --set overrides.
FabricConfig named_shape(const std::string& name, const std::vector<std::string>& sets = {});

// {"kind": "ring", "chips": 4, ...}: numbers, words and lists become figures, objects and "kind" stay.
FabricConfig shape_of(const std::string& plain_json);

// What a ConfigError said, or "accepted".
std::string shape_error(const std::string& plain_json);
std::string shape_error(const FabricConfig& config);

}  // namespace trn
