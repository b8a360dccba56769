// Dollars and joules of a training answer, with the source of price and power.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/config/config_document.h"

namespace trn {

struct TokenRate {
  std::uint64_t chips;
  double tokens_per_second;
};

// Two lines and what they leave out; "n/a" where nothing is published, with what a dollar a chip-hour is.
std::string economy_lines(const TokenRate& rate, const ConfigDocument& document);

// What is not published is absent.
nlohmann::ordered_json economy_json(const TokenRate& rate, const ConfigDocument& document);

}  // namespace trn
