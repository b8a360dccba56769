// Files of a study: what they are, which trnsim wrote them, and how they are read back.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace trn {

inline constexpr int kStoreSchema = 1;

// {"kind": ..., "schema": 1, "trnsim": {"version": ..., "build": ...}}
nlohmann::ordered_json stored_header(const std::string& kind, const std::string& build);

// ConfigError naming the file and `way_out` if it is cut short, of another kind, schema or version.
nlohmann::ordered_json read_stored(const std::string& path, const std::string& kind,
                                   const std::string& way_out);

std::string build_of(const nlohmann::ordered_json& stored);

}  // namespace trn
