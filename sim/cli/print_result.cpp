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
  for (const ResourceResult& resource : r.resources)
    out += fmt::format("        {}: {:.2f} % used, binding for {}\n", resource.name,
                       100 * resource.utilization, time_text(resource.bound));
  if (r.model_flops > 0)
    out +=
        fmt::format("  FLOPs {} model, {} on the array, {:.2f} TFLOPS\n", with_commas(r.model_flops),
                    with_commas(r.array_flops), ratio(static_cast<double>(r.model_flops), seconds) * 1e-12);
  out += stall_lines(r);
  return out;
}

std::string result_json(const RunResult& r) {
  nlohmann::ordered_json json;
  json["program"] = r.program;
  json["time_us"] = to_us(r.time);
  for (const StatValue& value : statistics(r))
    json["statistics"][value.name] = {
        {"value", value.value}, {"unit", unit_name(value.unit)}, {"description", value.description}};
  for (const ResourceResult& resource : r.resources)
    json["resources"].push_back({{"name", resource.name},
                                 {"utilization", resource.utilization},
                                 {"bound_us", to_us(resource.bound)}});
  for (const Stall& stall : r.stalls)
    json["stalls"].push_back({{"core", stall.core},
                              {"engine", kEngines[index_of(stall.engine)].name},
                              {"region", stall.region},
                              {"time_us", to_us(stall.time)}});
  return json.dump(2) + '\n';
}

}  // namespace trn
