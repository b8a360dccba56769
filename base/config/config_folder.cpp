#include "base/config/config_folder.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "base/text.h"

namespace trn {

std::string config_folder() {
  const char* folder = std::getenv("TRNSIM_CONFIG_DIR");
  return folder != nullptr ? folder : TRNSIM_CONFIG_DIR;
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored))
    if (entry.path().extension() == ".json") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string named_file(const std::string& folder, const std::string& what, const std::string& name) {
  if (name.find('/') != std::string::npos || name.find(".json") != std::string::npos) return name;
  const std::vector<std::string> known = names_in(folder);
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw ConfigError(what + " \"" + name + "\": unknown" + suggestion(name, known) +
                      "; or give a file.json");
  return folder + '/' + name + ".json";
}

ConfigDocument load_named(const std::string& folder, const std::string& what, const std::string& name) {
  return ConfigDocument::load(named_file(folder, what, name));
}

}  // namespace trn
