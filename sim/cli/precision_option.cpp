#include "sim/cli/precision_option.h"

#include <algorithm>

namespace trn {

void add_precision(CLI::App& command, std::string& precision) {
  command
      .add_option("--precision", precision,
                  "on data: hardware rounds to the element types; fp32 keeps float elements in fp32, so that "
                  "what is left of an error is not rounding")
      ->check(CLI::IsMember(std::vector<std::string>(kPrecisions.begin(), kPrecisions.end())))
      ->capture_default_str();
}

Precision precision_named(const std::string& name) {
  return static_cast<Precision>(std::find(kPrecisions.begin(), kPrecisions.end(), name) -
                                kPrecisions.begin());
}

}  // namespace trn
