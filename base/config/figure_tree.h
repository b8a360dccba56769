// A configuration as a tree of figures, leaves of the form {"value": ..., "source": ..., "confidence": ...},
// addressed by dotted keys: neuron_core.dma.engines.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace trn {

bool is_figure(const nlohmann::json& node);

// What stands at `key`; null where nothing does.
nlohmann::json* find_node(nlohmann::json& root, const std::string& key);
const nlohmann::json* find_node(const nlohmann::json& root, const std::string& key);
// Only if it is a figure.
nlohmann::json* find_figure(nlohmann::json& root, const std::string& key);

// Keys of all figures, in order.
std::vector<std::string> figure_keys(const nlohmann::json& root);

// A figure's source or confidence, empty where there is none: what is wrong with it is said when it is read.
std::string text_of(const nlohmann::json& node, const char* key);

// A value as the user would write it; text that is no UTF-8 is shown replaced.
std::string value_text(const nlohmann::json& value);

}  // namespace trn
