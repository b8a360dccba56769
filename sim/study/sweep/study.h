// A study: a question, and axes along which it is varied.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/study/question.h"

namespace trn {

// One value of an axis: what it is called, and the options it sets.
struct AxisValue {
  std::string label;
  std::vector<std::pair<std::string, nlohmann::json>> options;
};

struct Axis {
  std::string name;
  std::vector<AxisValue> values;
};

struct Study {
  std::string name;
  Question base;
  std::vector<Axis> axes;
  std::uint64_t points() const;
};

inline constexpr std::uint64_t kMaxPoints = 100'000;

// {"name": "...", "base": {"train": {...}}, "axes": [{"name": "machine", "values": ["trn2:instance", ...]},
//  {"name": "size", "values": [{"label": "8B", "model": "Qwen3-8B", "layout": "tp=4"}, ...]}]}
// An axis is named as the option or figure it sets; values that are objects set several. ConfigErrors name
// the file, the path and the way out; more than kMaxPoints points are refused.
Study parse_study(const std::string& text, const std::string& file);

// The question at a point, one value an axis; the first axis changes slowest.
Question question_at(const Study& study, const std::vector<std::size_t>& at);
std::vector<std::size_t> coordinates_of(const Study& study, std::uint64_t point);

}  // namespace trn
