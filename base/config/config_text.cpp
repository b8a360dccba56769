#include "base/config/config_text.h"

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/error.h"

namespace trn {

nlohmann::json parse_config_text(const std::string& text, const std::string& name) {
  // The parser keeps the last of two equal keys silently; a repeated key is a mistake, so look for it.
  std::vector<std::set<std::string>> open;
  const auto callback = [&](int, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    if (event == nlohmann::json::parse_event_t::object_start) open.emplace_back();
    if (event == nlohmann::json::parse_event_t::object_end) open.pop_back();
    if (event == nlohmann::json::parse_event_t::key && !open.back().insert(parsed.get<std::string>()).second)
      throw ConfigError(name + ": key \"" + parsed.get<std::string>() + "\" appears twice in one object");
    return true;
  };
  try {
    return nlohmann::json::parse(text, callback);
  } catch (const nlohmann::json::exception& error) {  // also numbers beyond a double
    const std::string what = error.what();
    const std::size_t at = what.find("at line");
    throw ConfigError(name + ": not valid JSON " + (at == std::string::npos ? what : what.substr(at)));
  }
}

}  // namespace trn
