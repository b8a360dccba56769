#include "sim/run/economy.h"

namespace trn {
namespace {

constexpr double kSecondsPerHour = 3600;

double chip_hours_per_million_tokens(std::uint64_t chips, double tokens_per_second) {
  return 1e6 / tokens_per_second / kSecondsPerHour * static_cast<double>(chips);
}

}  // namespace

double usd_per_million_tokens(double usd_per_chip_hour, std::uint64_t chips, double tokens_per_second) {
  return usd_per_chip_hour * chip_hours_per_million_tokens(chips, tokens_per_second);
}

double joules_per_token(double watts_per_chip, std::uint64_t chips, double tokens_per_second) {
  return watts_per_chip * static_cast<double>(chips) / tokens_per_second;
}

double break_even_usd_per_hour(double usd_per_million_tokens_elsewhere, std::uint64_t chips,
                               double tokens_per_second) {
  return usd_per_million_tokens_elsewhere / chip_hours_per_million_tokens(chips, tokens_per_second);
}

Economy economy(const ChipConfig& chip, std::uint64_t chips, double tokens_per_second) {
  Economy e;
  if (chip.usd_per_hour)
    e.usd_per_million_tokens = usd_per_million_tokens(*chip.usd_per_hour, chips, tokens_per_second);
  if (chip.tdp_watts) e.joules_per_token = joules_per_token(*chip.tdp_watts, chips, tokens_per_second);
  return e;
}

}  // namespace trn
