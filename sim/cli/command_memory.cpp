// trnsim memory: access patterns on the channel model of one HBM stack.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "models/memory/hbm/hbm_device.h"
#include "models/memory/hbm/hbm_efficiency.h"
#include "models/memory/hbm/memory_pattern.h"
#include "sim/cli/cli.h"
#include "sim/cli/machine_option.h"
#include "sim/cli/print_result.h"

namespace trn {
namespace {

struct MemoryArguments {
  MachineOption machine;
  std::string device;
  std::string pattern = "stream";
  MemoryPattern spec;
  bool efficiency = false;
  bool json = false;
};

PatternKind pattern_named(const std::string& name) {
  for (std::size_t k = 0; k < kPatternKinds.size(); ++k)
    if (name == kPatternKinds[k]) return static_cast<PatternKind>(k);
  std::vector<std::string> known(kPatternKinds.begin(), kPatternKinds.end());
  throw UsageError("--pattern " + name + ": unknown" + suggestion(name, known));
}

void check(const MemoryPattern& p, const DramConfig& dram) {
  const auto refuse = [](const std::string& what) { throw UsageError(what); };
  if (p.request_bytes == 0 || p.request_bytes > (1u << 20)) refuse("--bytes: expected 1 to 1048576");
  if (p.requesters == 0 || p.requesters > 4096) refuse("--requesters: expected 1 to 4096");
  if (p.requests == 0 || p.requests > 100'000'000) refuse("--requests: expected 1 to 100000000");
  if (p.write_percent > 100) refuse("--write-percent: expected 0 to 100");
  if (p.outstanding > 1'000'000) refuse("--outstanding: expected up to 1000000");
  if (p.kind == PatternKind::kStrided && p.stride_bytes == 0) refuse("--pattern strided needs --stride");
  if (p.footprint_bytes / p.requesters < p.request_bytes)
    refuse("--footprint: less than one request for each requester");
  if (p.footprint_bytes > (std::uint64_t{1} << 40)) refuse("--footprint: more than a TiB");
  const std::uint64_t bursts = (p.request_bytes + dram.burst_bytes - 1) / dram.burst_bytes + 1;
  if (p.requests * bursts > 1'000'000'000)
    refuse("--requests: more than a billion bursts of " + std::to_string(dram.burst_bytes) + " B");
}

// Where next to nothing is lost, naming its largest part would mislead.
std::string_view bound_by(const MemoryResult& r) {
  return r.efficiency > 0.98 ? "data bus" : kDramLimits[static_cast<std::size_t>(r.limit)];
}

std::string text(const MemoryPattern& p, const DramConfig& d, const MemoryResult& r) {
  std::string out = fmt::format(
      "{} {}, {} channels of {} banks, {:.1f} GB/s peak: {} requests of {} B, {} % writes, {} requester{}\n",
      d.standard, kPatternKinds[static_cast<std::size_t>(p.kind)], d.channels, d.banks(),
      static_cast<double>(d.rate.count()) * 1e-3, with_commas(p.requests), p.request_bytes, p.write_percent,
      p.requesters, p.requesters == 1 ? "" : "s");
  const double own = static_cast<double>(d.channel_rate.count() * d.channels);
  const double scale = static_cast<double>(d.rate.count()) / own;
  if (std::abs(scale - 1) > 0.01)
    out += fmt::format(
        "  scaled      the device's channels give {:.1f} GB/s; all of it is made {:.3g} times as fast\n",
        own * 1e-3, scale);
  out += fmt::format("  achieved    {:.1f} GB/s in {}, {:.2f} % of peak\n", r.bytes_per_second * 1e-9,
                     time_text(r.time), 100 * r.efficiency);
  out += fmt::format("  row hits    {:.2f} % of {} bursts of {} B, {} activations, {} refreshes\n",
                     100 * r.row_hit_rate, with_commas(r.bursts), d.burst_bytes, with_commas(r.activations),
                     with_commas(r.refreshes));
  out += fmt::format("  latency     {:.0f} ns median, {:.0f} 90 %, {:.0f} 99 %, {:.0f} longest\n",
                     r.latency_ns[0], r.latency_ns[1], r.latency_ns[2], r.latency_ns[3]);
  out += "  data bus waited for";
  for (std::size_t i = 0; i < kDramLimits.size(); ++i)
    out += fmt::format("{} {} {:.2f} %", i == 0 ? "" : ",", kDramLimits[i], 100 * r.lost_share[i]);
  const double unused = 1 - static_cast<double>(r.bytes) / static_cast<double>(r.bursts * d.burst_bytes);
  if (unused > 0.001)
    out += fmt::format("\n  {:.1f} % of the bursts' bytes were not asked for", 100 * unused);
  return out + fmt::format("\n  bound by    {}\n", bound_by(r));
}

std::string json(const MemoryPattern& p, const DramConfig& d, const MemoryResult& r) {
  nlohmann::ordered_json j;
  j["standard"] = d.standard;
  j["peak_mb_per_s"] = d.rate.count();
  j["pattern"] = kPatternKinds[static_cast<std::size_t>(p.kind)];
  j["request_bytes"] = p.request_bytes;
  j["requests"] = p.requests;
  j["requesters"] = p.requesters;
  j["write_percent"] = p.write_percent;
  j["stride_bytes"] = p.stride_bytes;
  j["footprint_bytes"] = p.footprint_bytes;
  j["seed"] = p.seed;
  j["time_us"] = to_us(r.time);
  j["bytes_per_s"] = r.bytes_per_second;
  j["efficiency"] = r.efficiency;
  j["row_hit_rate"] = r.row_hit_rate;
  j["bursts"] = r.bursts;
  j["activations"] = r.activations;
  j["refreshes"] = r.refreshes;
  j["latency_ns"] = {
      {"p50", r.latency_ns[0]}, {"p90", r.latency_ns[1]}, {"p99", r.latency_ns[2]}, {"max", r.latency_ns[3]}};
  for (std::size_t i = 0; i < kDramLimits.size(); ++i)
    j["bus_waited_for"][std::string(kDramLimits[i])] = r.lost_share[i];
  j["bound_by"] = bound_by(r);
  return j.dump(2) + '\n';
}

std::string efficiency_text(const DramConfig& d, const HbmEfficiency& table) {
  std::string out = fmt::format(
      "{}, {:.1f} GB/s peak: share of it by contiguous run, at random places\n{:>12} {:>8} {:>8} {:>8}\n",
      d.standard, static_cast<double>(d.rate.count()) * 1e-3, "run", "read", "write", "mixed");
  for (const HbmEfficiency::Row& row : table.rows)
    out += fmt::format("{:>10} B {:>7.2f}% {:>7.2f}% {:>7.2f}%\n", row.run_bytes, 100 * row.read,
                       100 * row.write, 100 * row.mixed);
  return out + fmt::format(
                   "  turning between reads and writes: {:.2f} of its cost with a quarter of writes, {:.2f} "
                   "with three\n",
                   table.turning.quarter, table.turning.three_quarters);
}

std::string efficiency_json(const DramConfig& d, const HbmEfficiency& table) {
  const auto rounded = [](double share) { return std::round(share * 1e5) * 1e-5; };
  nlohmann::ordered_json j;
  j["device"] = device_text(d);
  for (const HbmEfficiency::Row& row : table.rows)
    j["rows"].push_back({row.run_bytes, rounded(row.read), rounded(row.write), rounded(row.mixed)});
  j["turning"] = {rounded(table.turning.quarter), rounded(table.turning.three_quarters)};
  return j.dump() + '\n';
}

void run(const MemoryArguments& a) {
  MemoryPattern pattern = a.spec;
  pattern.kind = pattern_named(a.pattern);
  const DramConfig dram =
      a.device.empty() ? a.machine.load().hbm.dram : load_hbm_device(a.device, a.machine.sets);
  if (a.efficiency) {
    const HbmEfficiency table = measure_efficiency(dram);
    fmt::print("{}", a.json ? efficiency_json(dram, table) : efficiency_text(dram, table));
    return;
  }
  check(pattern, dram);
  const MemoryResult result = run_pattern(pattern, dram);
  fmt::print("{}", a.json ? json(pattern, dram, result) : text(pattern, dram, result));
}

}  // namespace

void add_memory(CLI::App& app) {
  auto arguments = std::make_shared<MemoryArguments>();
  CLI::App* command =
      app.add_subcommand("memory", "Access patterns on the channels, banks and rows of one HBM stack");
  command->footer(
      "Examples: trnsim memory --machine trn2 --pattern random --bytes 64\n"
      "          trnsim memory --device hbm2 --pattern stream --bytes 32 --requests 32768\n"
      "--set takes the keys of the machine (hbm.dram.tfaw_ns=2x) or, with --device, of the device "
      "(dram.tfaw_ns=2x).");
  MemoryPattern& spec = arguments->spec;
  command->add_option("--device", arguments->device,
                      "an HBM device of configs/hbm (hbm2, hbm4) or a file, instead of a machine's");
  command->add_option("--pattern", arguments->pattern, "stream, strided or random")->capture_default_str();
  command->add_option("--bytes", spec.request_bytes, "of a request")->capture_default_str();
  command->add_option("--stride", spec.stride_bytes,
                      "strided: bytes from one request's start to the next one's");
  command->add_option("--requests", spec.requests, "of all requesters")->capture_default_str();
  command->add_option("--requesters", spec.requesters, "each on its own part of the footprint")
      ->capture_default_str();
  command
      ->add_option("--outstanding", spec.outstanding,
                   "requests of a requester in flight; 0: enough to keep the stack busy")
      ->capture_default_str();
  command->add_option("--write-percent", spec.write_percent, "of the requests")->capture_default_str();
  command->add_option("--footprint", spec.footprint_bytes, "bytes that the requests lie in")
      ->capture_default_str();
  command->add_option("--seed", spec.seed, "of random addresses and writes")->capture_default_str();
  command->add_flag("--efficiency", arguments->efficiency,
                    "measure the table that the bandwidth model uses, instead of a pattern");
  arguments->machine.add_to(*command, "trn2");
  command->add_flag("--json", arguments->json, "print JSON");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace trn
