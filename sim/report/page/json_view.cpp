#include "sim/report/page/json_view.h"

#include <cmath>

#include "base/error.h"

namespace trn {
namespace {

// What was found, short enough for a line.
std::string excerpt(const nlohmann::ordered_json& json) {
  if (json.is_object() || json.is_array())
    return std::string(json.is_object() ? "an object" : "an array") + " of " + std::to_string(json.size());
  const std::string text = json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
  return text.size() <= 40 ? text : text.substr(0, 40) + "...";
}

}  // namespace

void JsonView::fail(const std::string& what) const { throw ConfigError(path_ + ": " + what); }

void JsonView::expected(const std::string& what) const {
  fail("expected " + what + ", found " + excerpt(*json_));
}

JsonView JsonView::at(const std::string& key) const {
  if (!json_->is_object()) expected("an object");
  const auto found = json_->find(key);
  if (found == json_->end()) fail("has no \"" + key + '"');
  return {*found, path_ + '.' + key};
}

std::optional<JsonView> JsonView::find(const std::string& key) const {
  if (!json_->is_object()) expected("an object");
  const auto found = json_->find(key);
  if (found == json_->end() || found->is_null()) return {};
  return JsonView(*found, path_ + '.' + key);
}

std::vector<JsonView> JsonView::items() const {
  if (!json_->is_array()) expected("an array");
  std::vector<JsonView> all;
  for (std::size_t i = 0; i < json_->size(); ++i)
    all.emplace_back((*json_)[i], path_ + '[' + std::to_string(i) + ']');
  return all;
}

std::vector<JsonView> JsonView::items(const std::string& key) const {
  const std::optional<JsonView> array = find(key);
  return array ? array->items() : std::vector<JsonView>{};
}

std::vector<std::pair<std::string, JsonView>> JsonView::fields() const {
  if (!json_->is_object()) expected("an object");
  std::vector<std::pair<std::string, JsonView>> all;
  for (const auto& field : json_->items())
    all.emplace_back(field.key(), JsonView(field.value(), path_ + '.' + field.key()));
  return all;
}

double JsonView::number() const {
  if (!json_->is_number() || !std::isfinite(json_->get<double>())) expected("a number");
  return json_->get<double>();
}

std::uint64_t JsonView::count() const {
  if (json_->is_number_unsigned()) return json_->get<std::uint64_t>();
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (!json_->is_number_float() || json_->get<double>() < 0 || json_->get<double>() > kExact ||
      json_->get<double>() != std::floor(json_->get<double>()))
    expected("an integer >= 0");
  return static_cast<std::uint64_t>(json_->get<double>());
}

std::string JsonView::text() const {
  if (!json_->is_string()) expected("a text");
  return json_->get<std::string>();
}

std::string JsonView::label() const {
  if (json_->is_string()) return json_->get<std::string>();
  if (!json_->is_number() && !json_->is_boolean()) expected("a text or a number");
  return json_->dump();
}

std::string JsonView::text_or_none(const std::string& key) const {
  const std::optional<JsonView> found = find(key);
  return found ? found->text() : "";
}

}  // namespace trn
