// What differs between two questions and their machines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/study/question.h"

namespace trn {

// A figure that differs, with its source on either side.
struct ComparisonInput {
  std::string key;
  std::optional<ConfigFigure> a, b;
};

// An option of the question, as text; "-" where a side leaves it out.
struct ComparisonOption {
  std::string key, a, b;
};

// Figures of two machines that differ, other shapes' left out.
std::vector<ComparisonInput> changed_inputs(const Machine& a, const Machine& b);

// Machine and figures left out. The questions are of one kind.
std::vector<ComparisonOption> changed_options(const Question& a, const Question& b);

}  // namespace trn
