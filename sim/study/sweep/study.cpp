#include "sim/study/sweep/study.h"

#include <set>

#include "base/error.h"
#include "base/text.h"

namespace trn {
namespace {

using nlohmann::json;

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw ConfigError(where + ": " + what);
}

void only_keys(const json& object, const std::vector<std::string>& known, const std::string& where) {
  if (!object.is_object()) fail(where, "expected an object");
  for (const auto& item : object.items())
    if (std::find(known.begin(), known.end(), item.key()) == known.end())
      fail(where + '.' + item.key(), "unknown key" + suggestion(item.key(), known));
}

const json& needed(const json& object, const char* key, const std::string& where) {
  const auto it = object.find(key);
  if (it == object.end()) fail(where + '.' + key, "missing key");
  return *it;
}

std::string text_at(const json& object, const char* key, const std::string& where) {
  const json& value = needed(object, key, where);
  if (!value.is_string() || value.get<std::string>().empty()) fail(where + '.' + key, "expected a text");
  return value.get<std::string>();
}

std::string label_of(const json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

AxisValue parse_value(const json& value, const std::string& axis, const std::string& where) {
  if (!value.is_object()) {
    if (value.is_array() || value.is_null()) fail(where, "expected a text, a number or an object of options");
    return {label_of(value), {{axis, value}}};
  }
  AxisValue out{text_at(value, "label", where), {}};
  for (const auto& item : value.items())
    if (item.key() != "label") out.options.emplace_back(item.key(), item.value());
  if (out.options.empty()) fail(where, "sets no option");
  return out;
}

Axis parse_axis(const json& value, const std::string& where) {
  only_keys(value, {"name", "values"}, where);
  Axis axis{text_at(value, "name", where), {}};
  const json& values = needed(value, "values", where);
  if (!values.is_array() || values.empty()) fail(where + ".values", "expected at least one value");
  std::set<std::string> labels;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string at = where + ".values[" + std::to_string(i) + ']';
    axis.values.push_back(parse_value(values[i], axis.name, at));
    if (!labels.insert(axis.values.back().label).second)
      fail(at, "value " + axis.values.back().label + " appears twice");
  }
  return axis;
}

// Every value must be one that its option takes, so that a typing error is told now and not at point 1,000.
void check_values(const Study& study, const std::string& where) {
  for (std::size_t a = 0; a < study.axes.size(); ++a)
    for (const AxisValue& value : study.axes[a].values)
      for (const auto& [key, option] : value.options) {
        Question probe = study.base;
        set_option(probe, key, option, where + ".axes[" + std::to_string(a) + "] " + key);
      }
}

}  // namespace

std::uint64_t Study::points() const {
  std::uint64_t n = 1;
  for (const Axis& axis : axes) n = std::min<std::uint64_t>(n * axis.values.size(), std::uint64_t{1} << 40);
  return n;
}

Study parse_study(const std::string& text, const std::string& file) {
  const ConfigDocument document = ConfigDocument::parse(text, file);  // its errors name line and column
  const json& root = document.json();
  only_keys(root, {"name", "base", "axes"}, file);
  Study study{text_at(root, "name", file), parse_question(needed(root, "base", file), file + ".base"), {}};
  const json& axes = needed(root, "axes", file);
  if (!axes.is_array()) fail(file + ".axes", "expected an array of axes");
  std::set<std::string> names;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::string where = file + ".axes[" + std::to_string(i) + ']';
    study.axes.push_back(parse_axis(axes[i], where));
    if (!names.insert(study.axes.back().name).second)
      fail(where, "axis " + study.axes.back().name + " appears twice");
  }
  if (study.points() > kMaxPoints)
    fail(file + ".axes", "the axes make " + with_commas(study.points()) + " points or more; at most " +
                             with_commas(kMaxPoints) + ": shorten an axis or split the study");
  check_values(study, file);
  return study;
}

Question question_at(const Study& study, const std::vector<std::size_t>& at) {
  Question question = study.base;
  for (std::size_t a = 0; a < study.axes.size(); ++a)
    for (const auto& [key, option] : study.axes[a].values[at[a]].options)
      set_option(question, key, option, study.axes[a].name);
  return question;
}

std::vector<std::size_t> coordinates_of(const Study& study, std::uint64_t point) {
  std::vector<std::size_t> at(study.axes.size());
  for (std::size_t a = study.axes.size(); a-- > 0;) {
    at[a] = point % study.axes[a].values.size();
    point /= study.axes[a].values.size();
  }
  return at;
}

}  // namespace trn
