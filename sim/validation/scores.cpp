#include <cmath>
#include <map>
#include <utility>

#include "sim/validation/validate.h"

namespace trn {

std::vector<GroupScore> scores(const std::vector<ValidationRow>& rows) {
  std::map<std::pair<std::string, std::string>, GroupScore> groups;
  for (const ValidationRow& row : rows) {
    if (!row.predicted || row.upper) continue;
    GroupScore& score = groups[{row.measured.use, row.group}];
    ++score.rows;
    score.geometric_mean += std::fabs(row.log_error());
    score.bias += row.log_error();
  }
  std::vector<GroupScore> out;
  for (auto& [key, score] : groups) {
    score.use = key.first;
    score.group = key.second;
    score.geometric_mean = std::exp(score.geometric_mean / static_cast<double>(score.rows));
    score.bias = std::exp(score.bias / static_cast<double>(score.rows));
    out.push_back(score);
  }
  return out;
}

}  // namespace trn
