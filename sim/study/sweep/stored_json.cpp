#include "sim/study/sweep/stored_json.h"

#include "base/build_info.h"
#include "base/error.h"
#include "base/text.h"

namespace trn {

using nlohmann::ordered_json;

ordered_json stored_header(const std::string& kind, const std::string& build) {
  return {{"kind", kind}, {"schema", kStoreSchema}, {"trnsim", {{"version", version()}, {"build", build}}}};
}

ordered_json read_stored(const std::string& path, const std::string& kind, const std::string& way_out) {
  const auto fail = [&](const std::string& what) { throw ConfigError(path + ": " + what + "; " + way_out); };
  const ordered_json json = ordered_json::parse(read_text_file(path), nullptr, false);
  if (json.is_discarded() || !json.is_object()) fail("damaged or cut short");
  if (json.value("kind", ordered_json()) != kind) fail("not a " + kind + " file of trnsim");
  if (json.value("schema", ordered_json()) != kStoreSchema)
    fail("written in another format than this trnsim's");
  const ordered_json made_by = json.value("trnsim", ordered_json::object());
  if (!made_by.is_object() || !made_by.contains("build") || !made_by["build"].is_string()) fail("damaged");
  if (made_by.value("version", ordered_json()) != version())
    fail("written by trnsim " + made_by.value("version", ordered_json()).dump() + ", this is " + version());
  return json;
}

std::string build_of(const ordered_json& stored) {
  return stored.at("trnsim").at("build").get<std::string>();
}

}  // namespace trn
