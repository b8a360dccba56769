// Named configuration files: where they lie, which there are, and how one is found.
#pragma once

#include <string>
#include <vector>

#include "base/config/config_document.h"

namespace trn {

// TRNSIM_CONFIG_DIR of the environment, or the project's configs.
std::string config_folder();

// Names of the folder's .json files, sorted.
std::vector<std::string> names_in(const std::string& folder);

// Path of NAME.json of the folder; a name with a slash or .json is a path. A ConfigError lists the known
// names; `what` is what it is called there.
std::string named_file(const std::string& folder, const std::string& what, const std::string& name);

// What stands there, a document that builds on nothing.
ConfigDocument load_named(const std::string& folder, const std::string& what, const std::string& name);

}  // namespace trn
