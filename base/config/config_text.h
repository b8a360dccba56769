// JSON text of a configuration.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace trn {

// `name` labels complaints: a ConfigError with line and column where it is no JSON, or with the key that
// appears twice in one object.
nlohmann::json parse_config_text(const std::string& text, const std::string& name);

}  // namespace trn
