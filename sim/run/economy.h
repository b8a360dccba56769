// What tokens cost in money and energy. Chips only: not the host, the network, the cooling, nor what stands
// idle; and power as if every chip always drew its TDP, so energy is an upper figure.
#pragma once

#include <cstdint>
#include <optional>

#include "models/machine_config.h"

namespace trn {

// US dollars for a million tokens, of `chips` chips that together make so many tokens a second.
double usd_per_million_tokens(double usd_per_chip_hour, std::uint64_t chips, double tokens_per_second);

// Joules a token.
double joules_per_token(double watts_per_chip, std::uint64_t chips, double tokens_per_second);

// US dollars an hour at which a chip's million tokens cost as much as somebody else's.
double break_even_usd_per_hour(double usd_per_million_tokens_elsewhere, std::uint64_t chips,
                               double tokens_per_second);

// Nothing where the machine has no published price or power.
struct Economy {
  std::optional<double> usd_per_million_tokens;
  std::optional<double> joules_per_token;
};
Economy economy(const ChipConfig& chip, std::uint64_t chips, double tokens_per_second);

}  // namespace trn
