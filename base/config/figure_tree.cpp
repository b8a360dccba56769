#include "base/config/figure_tree.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace trn {
namespace {

using nlohmann::json;

void collect_keys(const json& node, const std::string& path, std::vector<std::string>& out) {
  if (is_figure(node)) {
    out.push_back(path);
  } else if (node.is_object()) {
    for (const auto& item : node.items())
      collect_keys(item.value(), path.empty() ? item.key() : path + '.' + item.key(), out);
  }
}

}  // namespace

bool is_figure(const json& node) { return node.is_object() && node.contains("value"); }

json* find_node(json& root, const std::string& key) {
  json* node = &root;
  std::size_t begin = 0;
  while (begin <= key.size()) {
    const std::size_t end = std::min(key.find('.', begin), key.size());
    if (!node->is_object()) return nullptr;
    const auto it = node->find(key.substr(begin, end - begin));
    if (it == node->end()) return nullptr;
    node = &*it;
    begin = end + 1;
  }
  return node;
}

const json* find_node(const json& root, const std::string& key) {
  return find_node(const_cast<json&>(root), key);
}

json* find_figure(json& root, const std::string& key) {
  json* node = find_node(root, key);
  return node != nullptr && is_figure(*node) ? node : nullptr;
}

std::vector<std::string> figure_keys(const json& root) {
  std::vector<std::string> out;
  collect_keys(root, "", out);
  return out;
}

std::string text_of(const json& node, const char* key) {
  const auto it = node.find(key);
  return it == node.end() || !it->is_string() ? "" : it->get<std::string>();
}

std::string value_text(const json& value) {
  return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace trn
