// What a configuration says besides its figures, read and checked: changes, linked, overlays, ranges.
#pragma once

#include "base/config/config_layer.h"

namespace trn {

// Each takes the document's JSON, its label, and the content that lies below or was read so far.
void remove_keys(const nlohmann::json& document, const std::string& label, ConfigContent& content);
void add_keys(const nlohmann::json& document, const std::string& label, ConfigContent& content);
// The changes of a document or overlay; `label` is the path of the object that has "changes".
Layer read_changes(const nlohmann::json& object, const std::string& label, const std::string& layer_name,
                   const ConfigContent& content);
// "inherited": "assumed": what the document takes over unchanged is no surer than that, since nobody has said
// that it stays. `origins_below` are the base's.
void doubt_inherited(const nlohmann::json& document, const std::string& label,
                     const std::map<std::string, std::string>& origins_below, ConfigContent& content);
void read_linked(const nlohmann::json& document, const std::string& label, ConfigContent& content);
void read_ranges(const nlohmann::json& document, const std::string& label, ConfigContent& content);
void read_overlays(const nlohmann::json& document, const std::string& label, ConfigContent& content);

// Lays an overlay over the content. A ConfigError tells which there are.
void apply_overlay(ConfigContent& content, const std::string& name);

// Of an object's keys, those not in `known` are refused.
void refuse_other_keys(const nlohmann::json& object, const std::string& label,
                       const std::vector<std::string>& known);

}  // namespace trn
