#include <algorithm>
#include <charconv>
#include <sstream>

#include "base/error.h"
#include "base/text.h"
#include "sim/validation/collective_runs.h"

namespace trn {
namespace {

std::uint64_t whole_number(const std::string& text, const std::string& where) {
  std::uint64_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || at != end)
    throw ConfigError(where + ": expected a whole number, found \"" + text + '"');
  return number;
}

}  // namespace

CollectiveRunText parse_collective_run(const std::string& text, const std::string& where) {
  std::istringstream words(text);
  std::string key, value;
  words >> key;
  CollectiveRunText run;
  const auto* const op = std::find(kCollectiveOps.begin(), kCollectiveOps.end(), key);
  if (op == kCollectiveOps.end()) throw ConfigError(where + ": unknown operation \"" + key + '"');
  run.op = static_cast<CollectiveOp>(op - kCollectiveOps.begin());
  while (words >> key >> value) {
    const auto number = [&] { return static_cast<std::uint32_t>(whole_number(value, where + ' ' + key)); };
    if (key == "--machine") {
      run.machine = value;
    } else if (key == "--ranks-per-chip") {
      run.ranks_per_chip = number();
    } else if (key == "--domains") {
      run.domains = number();
    } else if (key == "--algorithm") {
      run.algorithm = value;
    } else if (key == "--group") {
      for (const std::string& rank : split(value, ','))
        run.group.push_back(static_cast<std::uint32_t>(whole_number(rank, where + " --group")));
    } else if (key == "--sizes") {
      const std::vector<std::string> sizes = split(value, ':');
      run.from = whole_number(sizes[0], where + " --sizes");
      run.to = sizes.size() > 1 ? whole_number(sizes[1], where + " --sizes") : run.from;
    } else {
      throw ConfigError(where + ": unknown argument \"" + key + '"');
    }
  }
  if (run.machine.empty()) throw ConfigError(where + ": no --machine");
  return run;
}

}  // namespace trn
