#include "sim/cli/print_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "sim/cli/print_result.h"

namespace trn {
namespace {

double microseconds(std::int64_t ps) { return static_cast<double>(ps) * 1e-6; }

std::string signed_time(std::int64_t ps) {
  const std::string text = time_text(Picoseconds(static_cast<std::uint64_t>(ps < 0 ? -ps : ps)));
  const bool nothing = text == time_text(Picoseconds(0));  // no sign on what rounds to it
  return (ps < 0 && !nothing ? "-" : "") + text;
}

double speedup(const Comparison& c) {
  const std::int64_t a = c.time_a_ps();
  return static_cast<double>(a) / static_cast<double>(a - c.gain_ps());
}

// What was made alike before times were compared.
std::string alike(const Comparison& c) {
  if (c.token_time)
    return c.chip_time ? " for the same number of chips and tokens" : " for the same number of tokens";
  return c.chip_time ? " for the same number of chips" : "";
}

std::vector<double> shares(const Comparison& c) {
  std::vector<double> parts;
  for (const ComparisonPart& part : c.parts) parts.push_back(part.share_ps());
  return exact_percentages(parts, static_cast<double>(c.gain_ps()));
}

double share_of(const Answer& answer, const std::string& part) {
  for (const AnswerPart& p : answer.parts)
    if (p.name == part) return 100 * ratio(to_us(p.time), to_us(answer.time));
  return 0;
}

// What one would say in a meeting, in three sentences.
std::string summary(const Comparison& c) {
  const double x = speedup(c);
  std::string out = fmt::format("{} is {:.2f}x as fast as {}{}: {} against {}.", c.b.label, x, c.a.label,
                                alike(c), time_text(c.answer_b.time), time_text(c.answer_a.time));
  if (!c.parts.empty() && c.gain_ps() != 0) {
    std::vector<std::size_t> order(c.parts.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::sort(order.begin(), order.end(),
              [&](std::size_t i, std::size_t j) { return c.parts[i].share_ps() > c.parts[j].share_ps(); });
    const std::vector<double> percent = shares(c);
    const std::size_t first = c.gain_ps() > 0 ? order.front() : order.back();
    const std::size_t second = c.gain_ps() > 0 ? order[1] : order[order.size() - 2];
    out += fmt::format(" {:.0f} % of the {} is {}", percent[first], c.gain_ps() > 0 ? "gain" : "loss",
                       c.parts[first].name);
    out += percent[second] < 1 ? "." : fmt::format(", {:.0f} % {}.", percent[second], c.parts[second].name);
  }
  out += c.answer_a.limiter == c.answer_b.limiter
             ? fmt::format(" What binds: {}, before and after.", c.answer_a.limiter)
             : fmt::format(" What binds: {} before, {} after.", c.answer_a.limiter, c.answer_b.limiter);
  const auto price = [&](const Contender& side, const Contender& other, std::optional<double> usd) {
    if (usd)
      out += fmt::format(
          " {} has no published price; its tokens cost what those of {} do at {:.4g} $ a chip-hour.",
          side.label, other.label, *usd);
  };
  price(c.a, c.b, c.break_even_usd_a);
  price(c.b, c.a, c.break_even_usd_b);
  return out + '\n';
}

std::string metric_rows(const Comparison& c) {
  std::string out = fmt::format("  {:<36} {:>20} {:>20} {:>9}\n", "", c.a.label, c.b.label, "ratio");
  for (const Metric& a : c.answer_a.metrics)
    for (const Metric& b : c.answer_b.metrics)
      if (a.name == b.name)
        out += fmt::format("  {:<36} {:>20.6g} {:>20.6g} {:>8.3f}x\n", a.name, a.value, b.value,
                           ratio(b.value, a.value));
  return out;
}

std::string ledger_rows(const Comparison& c) {
  std::string out = "  where the time goes\n";
  for (const AnswerPart& a : c.answer_a.parts)
    for (const AnswerPart& b : c.answer_b.parts)
      if (a.name == b.name)
        out +=
            fmt::format("    {:<34} {:>12} {:>6.2f} % {:>12} {:>6.2f} % {:>12}\n", a.name, time_text(a.time),
                        share_of(c.answer_a, a.name), time_text(b.time), share_of(c.answer_b, b.name),
                        signed_time(static_cast<std::int64_t>(a.time.count()) -
                                    static_cast<std::int64_t>(b.time.count())));
  return out;
}

std::string part_rows(const Comparison& c) {
  if (c.parts.empty()) return "  why: not told apart: " + c.why_no_parts + '\n';
  std::string out = fmt::format(
      "  why: one subsystem after the other replaced, from the first and from the last{}\n"
      "    {:<34} {:>12} {:>12} {:>12} {:>9}\n",
      c.chip_time ? "; times x chips, whose numbers differ" : "", "", "forward", "reverse", "together",
      "share");
  const std::vector<double> percent = shares(c);
  std::int64_t forward = 0, reverse = 0;
  for (std::size_t i = 0; i < c.parts.size(); ++i) {
    const ComparisonPart& part = c.parts[i];
    forward += part.forward_ps;
    reverse += part.reverse_ps;
    out +=
        fmt::format("    {:<34} {:>12} {:>12} {:>12} {:>7.1f} %\n", part.name, signed_time(part.forward_ps),
                    signed_time(part.reverse_ps), signed_time(part.interaction_ps()), percent[i]);
  }
  return out + fmt::format("    {:<34} {:>12} {:>12} {:>12} {:>7.1f} %\n", "gain", signed_time(forward),
                           signed_time(reverse), signed_time(forward - reverse),
                           c.gain_ps() == 0 ? 0.0 : 100.0);
}

std::string preset_rows(const Comparison& c) {
  if (c.presets.empty()) return "";
  std::string out = "  with the other link rates that are published, " + c.answer_a.headline().name + '\n';
  for (const PresetAnswer& preset : c.presets)
    out += fmt::format("    {:<34} {:>20.6g} {:>20.6g} {:>8.3f}x\n", preset.preset, preset.headline_a,
                       preset.headline_b, ratio(preset.headline_b, preset.headline_a));
  return out + (c.flips ? "    WHO IS FASTER DEPENDS ON WHICH OF THEM IS TRUE\n"
                        : "    who is faster does not depend on which of them is true\n");
}

double number(const std::optional<ConfigFigure>& figure) {
  try {
    return figure ? std::stod(figure->value) : 0;
  } catch (const std::exception&) {
    return 0;
  }
}

std::string value_of(const std::optional<ConfigFigure>& figure) {
  if (!figure) return "-";
  return figure->value.size() > 18 ? figure->value.substr(0, 15) + "..." : figure->value;
}

std::string input_rows(const Comparison& c) {
  std::string out;
  if (!c.options.empty()) out += fmt::format("  options that differ\n");
  for (const ComparisonOption& option : c.options)
    out += fmt::format("    {:<54} {:>18} {:>18}\n", option.key, option.a, option.b);
  for (const std::string& line : c.notes) out += "  " + line + '\n';
  out += fmt::format("  the {} inputs that differ\n    {:<54} {:>18} {:>18} {:>8}  {}\n", c.inputs.size(), "",
                     c.a.label, c.b.label, "ratio", "confidence, and source of the second");
  for (const ComparisonInput& input : c.inputs) {
    const double a = number(input.a), b = number(input.b);
    out += fmt::format("    {:<54} {:>18} {:>18} {:>8}  {} / {}: {}\n", input.key, value_of(input.a),
                       value_of(input.b), a > 0 && b > 0 ? fmt::format("{:.3f}x", b / a) : "",
                       input.a ? input.a->confidence : "-", input.b ? input.b->confidence : "-",
                       input.b ? input.b->source : "-");
  }
  return out;
}

// `time_ps` as compared, so that the parts lead from one side to the other.
nlohmann::ordered_json side_json(const Contender& contender, const Answer& answer, std::int64_t time_ps) {
  nlohmann::ordered_json json{{"label", contender.label}, {"question", question_json(contender.question)}};
  json["value"] = microseconds(time_ps);
  for (const Metric& metric : answer.metrics) json["metrics"][metric.name] = metric.value;
  for (const AnswerPart& part : answer.parts) json["ledger_us"][part.name] = to_us(part.time);
  json["limiter"] = answer.limiter;
  return json;
}

}  // namespace

std::string comparison_text(const Comparison& c) {
  return summary(c) + metric_rows(c) + part_rows(c) + ledger_rows(c) + preset_rows(c) + input_rows(c);
}

nlohmann::ordered_json comparison_json(const Comparison& c, const std::string& command) {
  nlohmann::ordered_json json{{"kind", "comparison"}, {"schema", 1}, {"command", command}};
  json["metric"] = c.chip_time ? "chip_time_us" : "time_us";
  json["speedup"] = speedup(c);
  json["a"] = side_json(c.a, c.answer_a, c.time_a_ps());
  json["b"] = side_json(c.b, c.answer_b, c.time_a_ps() - c.gain_ps());
  json["parts"] = nlohmann::ordered_json::array();
  for (const ComparisonPart& part : c.parts)
    json["parts"].push_back({{"name", part.name},
                             {"forward", microseconds(part.forward_ps)},
                             {"reverse", microseconds(part.reverse_ps)},
                             {"interaction", microseconds(part.interaction_ps())}});
  for (const ComparisonInput& input : c.inputs) {
    const auto text = [](const std::optional<ConfigFigure>& f, std::string ConfigFigure::*of) {
      return f ? (*f).*of : std::string("-");
    };
    const double a = number(input.a), b = number(input.b);
    json["inputs"].push_back(
        {{"key", input.key},
         {"a", text(input.a, &ConfigFigure::value)},
         {"b", text(input.b, &ConfigFigure::value)},
         {"ratio", a > 0 && b > 0 ? nlohmann::ordered_json(b / a) : nlohmann::ordered_json()},
         {"source_a", text(input.a, &ConfigFigure::source)},
         {"confidence_a", text(input.a, &ConfigFigure::confidence)},
         {"source_b", text(input.b, &ConfigFigure::source)},
         {"confidence_b", text(input.b, &ConfigFigure::confidence)}});
  }
  json["options"] = nlohmann::ordered_json::array();
  for (const ComparisonOption& option : c.options)
    json["options"].push_back({{"key", option.key}, {"a", option.a}, {"b", option.b}});
  if (c.break_even_usd_a) json["a"]["break_even_usd_per_chip_hour"] = *c.break_even_usd_a;
  if (c.break_even_usd_b) json["b"]["break_even_usd_per_chip_hour"] = *c.break_even_usd_b;
  json["notes"] = c.notes;
  if (c.parts.empty()) json["notes"].push_back("not told apart: " + c.why_no_parts);
  for (const PresetAnswer& preset : c.presets)
    json["notes"].push_back(fmt::format("with links {}: {} {:.6g} against {:.6g}", preset.preset,
                                        c.answer_a.headline().name, preset.headline_a, preset.headline_b));
  if (c.flips) json["notes"].push_back("who is faster depends on which published link rates are true");
  return json;
}

}  // namespace trn
