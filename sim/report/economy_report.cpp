#include "sim/report/economy_report.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>

#include "sim/run/economy.h"

namespace trn {
namespace {

struct Published {
  double value;
  std::string source, confidence;
};

std::optional<Published> published(const ConfigDocument& document, const std::string& key) {
  for (const ConfigFigure& figure : document.figures())
    if (figure.key == key) return Published{std::stod(figure.value), figure.source, figure.confidence};
  return std::nullopt;
}

constexpr const char* kPrice = "chip.usd_per_hour";
constexpr const char* kPower = "chip.tdp_watts";
constexpr const char* kNotCounted = "chips only: no host, network, cooling or idle time";

}  // namespace

std::string economy_lines(const TokenRate& rate, const ConfigDocument& document) {
  std::string out;
  const auto usd = [&](double per_hour) {
    return usd_per_million_tokens(per_hour, rate.chips, rate.tokens_per_second);
  };
  if (const auto price = published(document, kPrice))
    out += fmt::format("  {:.4g} $/Mtoken at {:g} $ a chip-hour [{}]: {}\n", usd(price->value), price->value,
                       price->confidence, price->source);
  else
    out += fmt::format("  $/Mtoken n/a, no price is published; {:.4g} for each $ a chip-hour\n", usd(1));
  if (const auto power = published(document, kPower))
    out += fmt::format("  {:.4g} J/token if every chip draws {:g} W, its TDP, all the time [{}]: {}\n",
                       joules_per_token(power->value, rate.chips, rate.tokens_per_second), power->value,
                       power->confidence, power->source);
  else
    out += "  J/token n/a, no power is published\n";
  return out + "    " + kNotCounted + '\n';
}

nlohmann::ordered_json economy_json(const TokenRate& rate, const ConfigDocument& document) {
  nlohmann::ordered_json out{{"counts", kNotCounted}};
  if (const auto price = published(document, kPrice)) {
    out["usd_per_million_tokens"] = usd_per_million_tokens(price->value, rate.chips, rate.tokens_per_second);
    out["usd_per_chip_hour"] = {
        {"value", price->value}, {"source", price->source}, {"confidence", price->confidence}};
  }
  if (const auto power = published(document, kPower)) {
    out["joules_per_token"] = joules_per_token(power->value, rate.chips, rate.tokens_per_second);
    out["tdp_watts"] = {
        {"value", power->value}, {"source", power->source}, {"confidence", power->confidence}};
  }
  return out;
}

}  // namespace trn
