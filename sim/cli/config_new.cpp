#include "sim/cli/config_new.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/config/figure_change.h"
#include "base/config/figure_tree.h"
#include "base/config/layered_config.h"
#include "base/error.h"
#include "base/text.h"
#include "models/machine_config.h"
#include "sim/study/knob.h"

namespace trn {
namespace {

namespace fs = std::filesystem;

void check_name(const std::string& name) {
  if (name.empty() || name.find_first_of("/:+") != std::string::npos ||
      name.find(".json") != std::string::npos)
    throw UsageError("config new " + name + ": a name without / : + and .json");
  const std::vector<std::string> known = known_machines();
  if (std::find(known.begin(), known.end(), name) != known.end())
    throw UsageError("config new " + name + ": a machine of that name exists; choose another");
}

// As the new file has to call it: a base with a path is looked up beside the file that names it.
std::string base_name(const NewConfig& request, const std::string& path) {
  const LayeredName parts = split_overlays(parse_machine_name(request.from).config);
  std::string base = parts.document;
  if (base.find('/') != std::string::npos || base.find(".json") != std::string::npos)
    base = fs::proximate(fs::absolute(base), fs::absolute(path).parent_path()).string();
  for (const std::string& overlay : parts.overlays) base += '+' + overlay;
  return request.unlinked ? unlinked_name(base) : base;
}

nlohmann::ordered_json changes(const std::vector<std::string>& sets, const ConfigDocument& base) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const std::string& assignment : sets) {
    const std::size_t equals = assignment.find('=');
    const std::string key = assignment.substr(0, equals);
    if (out.contains(key)) throw UsageError("--set " + assignment + ": " + key + " is set twice");
    nlohmann::ordered_json change =
        change_of_text(assignment.substr(equals + 1), (*find_node(base.json(), key))["value"]);
    change["source"] = "--set " + assignment + ", a what-if of the user's";
    change["confidence"] = "what-if";
    out[key] = change;
  }
  return out;
}

void check_every_shape(const ConfigDocument& document) {
  for (const std::string& shape : document.root().child("shapes").keys()) parse_figures(document, shape);
}

}  // namespace

std::string write_new_config(const NewConfig& request) {
  check_name(request.name);
  const std::string path = request.output.empty() ? request.name + ".json" : request.output;
  if (fs::exists(path) && !request.force)
    throw UsageError("config new " + request.name + ": " + path + " exists; --force replaces it");
  const ConfigDocument base = load_machine_document(parse_machine_name(request.from).config);
  ConfigDocument trial = base.copy();  // complains of what is wrong, and tells what scales along
  const std::vector<std::string> sets =
      expand_all(request.sets, base, parse_machine_name(request.from).shape);
  trial.set_linked(sets);
  const nlohmann::ordered_json document{
      {"name", request.name}, {"based_on", base_name(request, path)}, {"changes", changes(sets, base)}};
  const std::string text = document.dump(2) + '\n';
  check_every_shape(parse_machine_document(text, path));
  write_file_atomically(path, text);
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  std::string line = "wrote " + file + ", based on " + document["based_on"].get<std::string>() +
                     "; --machine " + file + ':' + parse_machine_name(request.from).shape + '\n';
  if (!request.unlinked)
    for (const std::string& along : trial.scaled_along()) line += "  " + along + '\n';
  return line;
}

}  // namespace trn
