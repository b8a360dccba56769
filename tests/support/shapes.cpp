#include "tests/support/shapes.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "models/interconnect/topology/topology.h"

namespace trn {
namespace {

nlohmann::json with_provenance(const nlohmann::json& plain) {
  nlohmann::json out = nlohmann::json::object();
  for (const auto& [key, value] : plain.items()) {
    const bool structure = key == "kind" || key == "switches" || key == "along" || key == "shifts";
    if (value.is_object())
      out[key] = with_provenance(value);
    else if (structure)
      out[key] = value;
    else
      out[key] = {{"value", value}, {"source", "test"}, {"confidence", "assumed"}};
  }
  return out;
}

}  // namespace

FabricConfig named_shape(const std::string& name, const std::vector<std::string>& sets) {
  const MachineName parsed = parse_machine_name(name);
  ConfigDocument document = load_machine_document(parsed.config);
  for (const std::string& set : sets) document.set(set);
  return parse_figures(document, parsed.shape).fabric;
}

FabricConfig shape_of(const std::string& plain_json) {
  const std::string text = with_provenance(nlohmann::json::parse(plain_json)).dump();
  return parse_fabric(ConfigDocument::parse(text, "$").root(), 100);
}

std::string shape_error(const std::string& plain_json) {
  try {
    return shape_error(shape_of(plain_json));
  } catch (const ConfigError& error) {
    return error.what();
  }
}

std::string shape_error(const FabricConfig& config) {
  try {
    const Topology topology(config);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace trn
