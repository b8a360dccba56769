#include "sim/cli/print_result.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.h"

namespace trn {

std::string check_line(const TensorCheck& check) {
  std::string out = fmt::format("{:<10} largest error {:.3g}, relative {:.3g}, SNR {:.1f} dB", check.tensor,
                                check.largest_error, check.relative_error, check.snr_db);
  if (check.wrong > 0)
    out += fmt::format("; {} WRONG, the first in row {}, column {}", with_commas(check.wrong),
                       check.first_row, check.first_column);
  return out + '\n';
}

std::string time_text(Picoseconds time) {
  const double us = to_us(time);
  if (us < 1e3) return fmt::format("{:.3f} us", us);
  if (us < 1e6) return fmt::format("{:.3f} ms", us * 1e-3);
  return fmt::format("{:.3f} s", us * 1e-6);
}

std::string bytes_text(double bytes) {
  if (bytes < 1e6) return fmt::format("{:.1f} kB", bytes * 1e-3);
  if (bytes < 1e9) return fmt::format("{:.1f} MB", bytes * 1e-6);
  return fmt::format("{:.3f} GB", bytes * 1e-9);
}

std::string engine_table(const RunResult& r) {
  std::string out = fmt::format("  {:<5} {:<7} {:>13} {:>9} {:>14} {:>14} {:>14}\n", "core", "engine",
                                "instructions", "active", "sem wait", "conflict", "limiter");
  for (const EngineResult& row : r.engines) {
    if (row.stats.instructions == 0) continue;
    out += fmt::format("  {:<5} {:<7} {:>13} {:>8.2f}% {:>14} {:>14} {:>14}\n", row.core,
                       kEngines[index_of(row.engine)].name, with_commas(row.stats.instructions),
                       100 * r.active(row.core, row.engine), time_text(row.stats.semaphore_wait),
                       time_text(row.stats.conflict_wait), time_text(row.stats.limiter_stall));
  }
  return out;
}

std::string stall_lines(const RunResult& r) {
  std::string out;
  for (std::size_t i = 0; i < r.stalls.size() && i < 5; ++i)
    out += fmt::format("  stall {} core {} {} in region {}\n", time_text(r.stalls[i].time), r.stalls[i].core,
                       kEngines[index_of(r.stalls[i].engine)].name, r.stalls[i].region);
  return out;
}

namespace {

double percent(Picoseconds part, const RunResult& r) { return 100 * ratio(to_us(part), to_us(r.time)); }

// A resource that took part; what it moved against what it could.
std::string resource_line(const ResourceResult& r) {
  std::string out = fmt::format("        {}: {:.2f} % used, binding for {:.2f} % of the run", r.name,
                                100 * r.utilization, 100 * r.binding);
  if (r.peak > 0) out += fmt::format("; {:.1f} of {:.1f} GB/s", r.achieved * 1e-9, r.peak * 1e-9);
  if (r.row_misses + r.turning > 0.001)
    out += fmt::format("; {:.1f} % of its bus on row misses, {:.1f} % on turning between reads and writes",
                       100 * r.row_misses, 100 * r.turning);
  return out + '\n';
}

std::string quiet_line(const RunResult& r) {
  return fmt::format("        nothing moving for {:.2f} %, waiting for descriptors only {:.2f} %\n",
                     percent(r.time - r.moving, r), percent(r.descriptors_only, r));
}

std::string channel_line(const HbmChannels& c) {
  std::string out =
      fmt::format("        HBM channels: {} bursts, {:.1f} % row hits; buses moved data for {:.1f} %",
                  with_commas(c.bursts), 100 * c.row_hit_rate, 100 * c.busy);
  for (std::size_t i = 0; i < kDramLimits.size(); ++i)
    out += fmt::format(", {}{} {:.1f} %", i == 0 ? "waited for " : "", kDramLimits[i], 100 * c.lost[i]);
  return out + '\n';
}

nlohmann::ordered_json channel_json(const HbmChannels& c) {
  nlohmann::ordered_json json{{"bursts", c.bursts},
                              {"activations", c.activations},
                              {"refreshes", c.refreshes},
                              {"row_hit_rate", c.row_hit_rate},
                              {"bus_busy", c.busy}};
  for (std::size_t i = 0; i < kDramLimits.size(); ++i)
    json["bus_waited_for"][std::string(kDramLimits[i])] = c.lost[i];
  return json;
}

nlohmann::ordered_json region_json(const TransferRegion& r) {
  nlohmann::ordered_json json{{"region", r.region},
                              {"transfers", r.times.transfers},
                              {"rows", r.times.rows},
                              {"bytes", r.times.bytes},
                              {"moving_us", to_us(r.times.moving)},
                              {"alone_us", to_us(r.times.alone)},
                              {"ideal_us", r.times.ideal * 1e-6}};
  for (std::size_t i = 0; i < kTransferLossCount; ++i)
    json["lost_us"][kTransferLossNames[i]] = r.times.lost[i] * 1e-6;
  json["main_reason"] = kTransferLossNames[static_cast<std::size_t>(r.times.main_reason())];
  json["way_out"] = r.way_out;
  return json;
}

nlohmann::ordered_json kernel_json(const KernelResult& k) {
  return {{"region", k.region},
          {"time_us", to_us(k.time)},
          {"instructions", k.instructions},
          {"array_flops", k.array_flops},
          {"modes", k.modes},
          {"transfers", k.transfers},
          {"dma_bytes", k.dma_bytes.count()},
          {"hbm_read_bytes", k.hbm_read.count()},
          {"hbm_write_bytes", k.hbm_write.count()}};
}

}  // namespace

std::string resource_lines(const RunResult& r) {
  std::string out;
  for (const ResourceResult& resource : r.resources) out += resource_line(resource);
  return out;
}

// "region load: 4.1 us of 6.0 us lost to small rows (64 B a row; ...)"
std::string region_lines(const RunResult& r) {
  const auto time = [](double ps) { return time_text(Picoseconds(static_cast<std::uint64_t>(ps))); };
  std::string out;
  for (std::size_t i = 0; i < r.transfer_regions.size() && i < 3; ++i) {
    const auto& [region, times, way_out] = r.transfer_regions[i];
    const TransferLoss reason = times.main_reason();
    if (times.at(reason) < 1) break;
    out += fmt::format("        region {}: {} of {} lost to {} ({})\n", region, time(times.at(reason)),
                       time(times.total()), kTransferLossNames[static_cast<std::size_t>(reason)], way_out);
  }
  return out;
}

void add_resources(const RunResult& r, nlohmann::ordered_json& json) {
  for (const ResourceResult& resource : r.resources)
    json["resources"].push_back({{"name", resource.name},
                                 {"utilization", resource.utilization},
                                 {"bound_us", to_us(resource.bound)},
                                 {"binding_share", resource.binding},
                                 {"achieved_bytes_per_s", resource.achieved},
                                 {"peak_bytes_per_s", resource.peak},
                                 {"bus_lost_to_row_misses", resource.row_misses},
                                 {"bus_lost_to_turning", resource.turning}});
  if (r.channels) json["hbm_channels"] = channel_json(*r.channels);
  for (const TransferRegion& region : r.transfer_regions)
    json["transfer_regions"].push_back(region_json(region));
  for (const KernelResult& kernel : r.kernels) json["kernels"].push_back(kernel_json(kernel));
  for (const ArrayCeiling& ceiling : r.array_ceilings)
    json["array_ceilings"].push_back({{"mode", ceiling.mode}, {"flops_per_s", ceiling.flops_per_s}});
}

std::string result_text(const RunResult& r) {
  const double seconds = to_seconds(r.time);
  std::string out =
      fmt::format("{}: {}, {} instructions\n", r.program, time_text(r.time), with_commas(r.instructions));
  out += engine_table(r);
  out += fmt::format("  DMA   {} transfers, {} moved, active {} ({:.2f} %)\n", with_commas(r.transfers),
                     bytes_text(static_cast<double>(r.dma_bytes.count())), time_text(r.dma_active),
                     100 * ratio(to_us(r.dma_active), to_us(r.time)));
  out += fmt::format("  HBM   read {}, written {}, {:.1f} GB/s\n",
                     bytes_text(static_cast<double>(r.hbm_read.count())),
                     bytes_text(static_cast<double>(r.hbm_write.count())),
                     ratio(static_cast<double>((r.hbm_read + r.hbm_write).count()), seconds) * 1e-9);
  out += resource_lines(r);
  if (r.channels) out += channel_line(*r.channels);
  if (r.transfers > 0) out += quiet_line(r) + region_lines(r);
  if (r.model_flops > 0)
    out +=
        fmt::format("  FLOPs {} model, {} on the array, {:.2f} TFLOPS\n", with_commas(r.model_flops),
                    with_commas(r.array_flops), ratio(static_cast<double>(r.model_flops), seconds) * 1e-12);
  out += stall_lines(r);
  return out;
}

nlohmann::ordered_json result_json(const RunResult& r) {
  nlohmann::ordered_json json;
  json["kind"] = "run";
  json["schema"] = 1;
  json["program"] = r.program;
  json["time_us"] = to_us(r.time);
  for (const StatValue& value : statistics(r))
    json["statistics"][value.name] = {
        {"value", value.value}, {"unit", unit_name(value.unit)}, {"description", value.description}};
  add_resources(r, json);
  for (const Stall& stall : r.stalls)
    json["stalls"].push_back({{"core", stall.core},
                              {"engine", kEngines[index_of(stall.engine)].name},
                              {"region", stall.region},
                              {"time_us", to_us(stall.time)}});
  return json;
}

}  // namespace trn
