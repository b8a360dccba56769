#include "sim/cli/print_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/build_info.h"
#include "base/text.h"
#include "sim/cli/command_line.h"
#include "sim/cli/print_result.h"
#include "sim/report/economy_report.h"
#include "sim/report/range_report.h"
#include "sim/run/confidence.h"
#include "sim/run/unannounced.h"

namespace trn {
namespace {

const std::string& recompute_name(const TrainingPlan& plan) {
  return kRecomputeNames[static_cast<std::size_t>(plan.recompute)];
}
const std::string& lowering_name(const TrainingPlan& plan) {
  return kLoweringNames[static_cast<std::size_t>(plan.lowering)];
}
const std::string& gemms_name(const TrainingPlan& plan) {
  return kGemmsNames[static_cast<std::size_t>(plan.gemms)];
}

// The nearest public measurement leaves its layout open, so it is shown and not fitted to.
constexpr const char* kHowSure =
    "extrapolated: no run of this generation is published with its layout (Qwen3-32B: 14,156 tokens/s, "
    "chips and layout unstated, not fitted to); steady state, no failures";

std::string headline(const TrainingResult& r) {
  std::string out = fmt::format(
      "{} on {} ({} chips), tp={} fsdp={} LNC={}, sequence {}, global batch {} in micro-batches of {}, "
      "recompute {}, lowering {}, gemms {}\n",
      r.model, r.machine, r.chips, r.plan.tp, r.plan.fsdp, r.plan.lnc, r.plan.sequence, r.plan.global_batch,
      r.plan.micro_batch, recompute_name(r.plan), lowering_name(r.plan), gemms_name(r.plan));
  out += fmt::format("  {:.0f} tokens/s, {:.1f} a chip; step {} for {} tokens\n", r.tokens_per_second(),
                     r.tokens_per_second() / static_cast<double>(r.chips), time_text(r.run.time),
                     with_commas(r.plan.tokens_per_step()));
  return out + "  " + kHowSure + '\n';
}

std::string ledger_table(const TrainingResult& r) {
  std::string out = "  step on the array of core 0\n";
  for (const LedgerRow& row : r.ledger)
    out += fmt::format("    {:<36} {:>12} {:>6.2f} %\n", row.name, time_text(row.time),
                       100 * to_us(row.time) / to_us(r.run.time));
  return out + fmt::format("    {:<36} {:>12} 100.00 %\n", "step", time_text(r.run.time));
}

std::string flops_table(const TrainingResult& r) {
  const RankFlops& f = r.flops;
  std::string out =
      fmt::format("  FLOPs of a rank: {} on the array = {} model + {} recompute + {} masked; difference {}\n",
                  with_commas(r.run.array_flops), with_commas(f.model), with_commas(f.recompute),
                  with_commas(f.masked), r.run.array_flops - f.executed());
  out += fmt::format("  HBM bytes of its kernels: {} read, {} written; difference to their loop nests {}\n",
                     with_commas(r.run.hbm_read.count()), with_commas(r.run.hbm_write.count()),
                     r.run.hbm_read.count() + r.run.hbm_write.count() - r.traffic.read - r.traffic.write);
  out +=
      fmt::format("  {:<10} {:>18}  {:>8} {:>8} {:>8}   MFU against clock peak, vendor core, vendor chip\n",
                  "FLOPs", "a token", "clock", "core", "chip");
  for (std::size_t c = 0; c < r.conventions.size(); ++c)
    out += fmt::format("  {:<10} {:>18}  {:>7.2f}% {:>7.2f}% {:>7.2f}%   {}\n", r.conventions[c].name,
                       with_commas(r.conventions[c].per_token), 100 * r.utilisation[3 * c].value,
                       100 * r.utilisation[3 * c + 1].value, 100 * r.utilisation[3 * c + 2].value,
                       r.conventions[c].meaning);
  if (r.plan.gemms != Gemms::kBf16)
    out += fmt::format(
        "  MFU and HFU are against the bf16 peak; {:.1f} % of the model's FLOPs are multiplied in {}, at "
        "{:g} "
        "times its rate\n    counted by that, as in Neuron's adjusted FLOPs: {:.2f} % of the clock peak, "
        "causal\n",
        100 * static_cast<double>(r.flops.model_gemms) / static_cast<double>(r.flops.model),
        gemms_name(r.plan), r.gemm_speedup, 100 * r.adjusted_mfu);
  return out + fmt::format("  HFU {:.2f} % of the clock peak; HBM {:.2f} % of peak, collectives included\n",
                           100 * r.hfu, 100 * r.hbm_utilisation);
}

std::string collectives_table(const TrainingResult& r) {
  std::string out = fmt::format("  {:<5} {:<15} {:>6} {:>10} {:>12} {:>12} {:>12} {:>12}\n", "axis",
                                "collective", "count", "bytes", "time", "bound", "algbw GB/s", "busbw GB/s");
  for (const CollectiveUse& c : r.collectives)
    out += fmt::format("  {:<5} {:<15} {:>6} {:>10} {:>12} {:>12} {:>12.1f} {:>12.1f}\n", c.summary.axis,
                       c.summary.op, c.summary.count, bytes_text(static_cast<double>(c.summary.bytes)),
                       time_text(c.summary.time), c.bound.count() == 0 ? "-" : time_text(c.bound),
                       c.algbw_gb_per_s, c.busbw_gb_per_s);
  return out +
         fmt::format("  exposed: TP {}, FSDP {}\n", time_text(r.tensor_exposed), time_text(r.data_exposed));
}

std::string stalls_table(const TrainingResult& r) {
  std::string out = "  longest waits of Tensor and Vector by region\n";
  std::size_t shown = 0;
  for (const Stall& stall : r.run.stalls) {
    if (stall.core != 0 || (stall.engine != Engine::kTensor && stall.engine != Engine::kVector)) continue;
    out += fmt::format("    {:>12}  {} before {}\n", time_text(stall.time),
                       kEngines[index_of(stall.engine)].name, stall.region);
    if (++shown == 5) break;
  }
  return out;
}

std::string transfers_table(const TrainingResult& r) {
  return "  transfers of a rank: what binds, and the regions that lose most (over both cores; may hide "
         "behind compute)\n" +
         resource_lines(r.run) + region_lines(r.run);
}

std::string shape_of(const TrainingResult& r) { return r.machine.substr(r.machine.rfind(':') + 1); }

std::string unannounced_lines(const TrainingResult& r, const ConfigDocument& document) {
  std::string out = range_lines(ranges_of_training(document, shape_of(r)));
  if (!r.interval) return out;
  const std::string ends = "  interval, with all of these at their worse and at their better end: ";
  if (!r.interval->problem.empty()) return out + ends + r.interval->problem + '\n';
  return out +
         fmt::format("{}{:.0f} to {:.0f} tokens/s\n", ends, r.interval->pessimistic, r.interval->optimistic);
}

constexpr std::size_t kMostKeys = 40;  // of one level of confidence, to be listed

// What the machine's figures, and the step's time, rest on; and which figures are assumed.
std::string confidence_lines(const TrainingResult& r, const ConfigDocument& document) {
  std::string counts;
  std::string times;
  std::string unsure;
  for (const ConfidenceShare& share : confidence_shares(r, document)) {
    const char* separator = counts.empty() ? "" : ", ";
    counts += fmt::format("{}{} {}", separator, share.keys.size(), share.confidence);
    times += fmt::format("{}{} {:.1f} %", separator, share.confidence,
                         100 * to_us(share.time) / to_us(r.run.time));
    if (share.confidence == "assumed" || share.confidence == "what-if")
      unsure += share.keys.size() > kMostKeys
                    ? fmt::format("    {}: {} of them\n", share.confidence, share.keys.size())
                    : fmt::format("    {}: {}\n", share.confidence, fmt::join(share.keys, ", "));
  }
  return fmt::format(
      "  the step's time by the least sure figure that sets its pace: {}\n"
      "  figures of the machine: {}; trnsim config show lists them\n{}",
      times, counts, unsure);
}

}  // namespace

std::string training_text(const TrainingResult& r, const ConfigDocument& document, bool brief) {
  if (brief) return headline(r);
  std::string out = headline(r) + unannounced_lines(r, document) +
                    economy_lines({r.chips, r.tokens_per_second()}, document) +
                    confidence_lines(r, document) + ledger_table(r) + flops_table(r) + collectives_table(r) +
                    stalls_table(r) + transfers_table(r);
  out +=
      fmt::format("  {} instructions of {} cores simulated\n", with_commas(r.run.instructions), r.plan.lnc);
  return out + "  HBM of a rank\n" + footprint_table(r.footprint);
}

nlohmann::ordered_json training_json(const TrainingResult& r, const ConfigDocument& document) {
  nlohmann::ordered_json json;
  json["kind"] = "training";
  json["schema"] = 1;
  json["version"] = version();
  json["command"] = command_line();
  json["how_sure"] = kHowSure;
  json["model"] = r.model;
  json["machine"] = r.machine;
  json["plan"] = {{"tp", r.plan.tp},
                  {"fsdp", r.plan.fsdp},
                  {"lnc", r.plan.lnc},
                  {"sequence", r.plan.sequence},
                  {"micro_batch", r.plan.micro_batch},
                  {"global_batch", r.plan.global_batch},
                  {"recompute", recompute_name(r.plan)},
                  {"lowering", lowering_name(r.plan)},
                  {"gemms", gemms_name(r.plan)}};
  json["overrides"] = document.overrides();
  json["tokens_per_s"] = r.tokens_per_second();
  json["tokens_per_s_per_chip"] = r.tokens_per_second() / static_cast<double>(r.chips);
  json["step_us"] = to_us(r.run.time);
  for (const LedgerRow& row : r.ledger) json["ledger_ps"][row.name] = row.time.count();
  for (const ConfidenceShare& share : confidence_shares(r, document))
    json["rests_on"][share.confidence] = {{"time_ps", share.time.count()}, {"figures", share.keys}};
  json["hbm_bytes"] = {{"read", r.run.hbm_read.count()},
                       {"written", r.run.hbm_write.count()},
                       {"expected_read", r.traffic.read},
                       {"expected_written", r.traffic.write}};
  json["flops"] = {{"array", r.run.array_flops},         {"model", r.flops.model},
                   {"recompute", r.flops.recompute},     {"masked", r.flops.masked},
                   {"model_gemms", r.flops.model_gemms}, {"gemm_speedup", r.gemm_speedup}};
  for (const FlopsConvention& c : r.conventions) json["flops_per_token"][c.name] = c.per_token;
  for (const Utilisation& u : r.utilisation)
    json["mfu"].push_back({{"flops", u.flops}, {"denominator", u.denominator}, {"value", u.value}});
  json["hfu"] = r.hfu;
  json["adjusted_mfu"] = r.adjusted_mfu;
  json["hbm_utilisation"] = r.hbm_utilisation;
  for (const CollectiveUse& c : r.collectives)
    json["collectives"].push_back({{"axis", c.summary.axis},
                                   {"op", c.summary.op},
                                   {"count", c.summary.count},
                                   {"bytes", c.summary.bytes},
                                   {"time_us", to_us(c.summary.time)},
                                   {"bound_us", to_us(c.bound)},
                                   {"algbw_gb_per_s", c.algbw_gb_per_s},
                                   {"busbw_gb_per_s", c.busbw_gb_per_s}});
  for (const FootprintRow& row : r.footprint.rows) json["footprint_bytes"][row.name] = row.bytes;
  for (const StatValue& value : statistics(r.run))
    json["statistics"][value.name] = {
        {"value", value.value}, {"unit", unit_name(value.unit)}, {"description", value.description}};
  add_resources(r.run, json);
  json["economy"] = economy_json({r.chips, r.tokens_per_second()}, document);
  json["unannounced"] = ranges_json(ranges_of_training(document, shape_of(r)));
  if (r.interval && r.interval->problem.empty())
    json["tokens_per_s_interval"] = {{"pessimistic", r.interval->pessimistic},
                                     {"optimistic", r.interval->optimistic}};
  json["config"] = document.json();
  return json;
}

}  // namespace trn
