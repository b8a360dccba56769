#include "models/memory/hbm/hbm_efficiency.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/config/config_folder.h"
#include "base/error.h"
#include "base/text.h"
#include "models/memory/hbm/memory_pattern.h"

namespace trn {
namespace {

constexpr std::uint64_t kStream = 1 << 20, kStreamRequest = 4096;
constexpr std::uint64_t kRuns[] = {32, 64, 256, 512, 1024, 4096, 65536, kStream};
constexpr std::uint64_t kTurningRun = 1024;
constexpr std::uint64_t kRequesters = 32;  // the DMA engines of the two cores of a stack

double interpolate(double a, double b, double share) { return a + (b - a) * share; }

HbmEfficiency::Cost cost_of(const HbmEfficiency::Row& row) {
  HbmEfficiency::Cost cost{1 / row.read, 1 / row.write, 0};
  cost.turn = std::max(0.0, 1 / row.mixed - (cost.read + cost.write) / 2);
  return cost;
}

// Runs up to a descriptor's lie anywhere; longer ones are streams, a requester each.
double steady(const DramConfig& dram, std::uint64_t run, std::uint64_t write_percent) {
  MemoryPattern pattern;
  pattern.kind = run < kStream ? PatternKind::kRandom : PatternKind::kStream;
  pattern.request_bytes = run < kStream ? run : kStreamRequest;
  pattern.requesters = kRequesters;
  pattern.write_percent = write_percent;
  pattern.footprint_bytes = std::uint64_t{1} << 32;
  pattern.requests = 8192 * dram.channels * dram.burst_bytes / pattern.request_bytes;
  return std::min(1.0, steady_efficiency(pattern, dram));
}

std::optional<HbmEfficiency> stored_table(const nlohmann::json& file, const std::string& device) {
  const auto found = file.find(device);
  if (found == file.end()) return std::nullopt;
  HbmEfficiency table;
  for (const nlohmann::json& row : found->at("rows"))
    table.rows.push_back({row.at(0).get<std::uint64_t>(), row.at(1).get<double>(), row.at(2).get<double>(),
                          row.at(3).get<double>()});
  table.turning = {found->at("turning").at(0).get<double>(), found->at("turning").at(1).get<double>()};
  for (const HbmEfficiency::Row& row : table.rows)
    if (!(row.read > 0 && row.write > 0 && row.mixed > 0 && row.read <= 1 && row.write <= 1))
      throw ConfigError("HBM efficiency of " + device +
                        ": expected shares of the peak; scripts/hbm_efficiency.py "
                        "measures them anew");
  return table;
}

}  // namespace

HbmEfficiency::Cost HbmEfficiency::cost(std::uint64_t run_bytes) const {
  TRN_CHECK(!rows.empty(), "an HBM without an efficiency table");
  if (run_bytes <= rows.front().run_bytes) return cost_of(rows.front());
  std::size_t upper = 1;
  while (upper < rows.size() && rows[upper].run_bytes < run_bytes) ++upper;
  if (upper == rows.size()) return cost_of(rows.back());
  const Cost a = cost_of(rows[upper - 1]), b = cost_of(rows[upper]);
  const double share =
      std::log2(static_cast<double>(run_bytes) / static_cast<double>(rows[upper - 1].run_bytes)) /
      std::log2(static_cast<double>(rows[upper].run_bytes) / static_cast<double>(rows[upper - 1].run_bytes));
  return {interpolate(a.read, b.read, share), interpolate(a.write, b.write, share),
          interpolate(a.turn, b.turn, share)};
}

std::string device_text(const DramConfig& d) {
  std::vector<std::string> map;
  for (const AddressBits& bits : d.map)
    map.push_back(std::to_string(static_cast<int>(bits.field)) + ':' + std::to_string(bits.bits));
  std::vector<std::string> numbers;
  for (const std::uint64_t n : {d.channels,
                                d.bank_groups,
                                d.banks_per_group,
                                d.row_bytes,
                                d.burst_bytes,
                                d.t.burst,
                                d.t.ccd_l,
                                d.t.cl,
                                d.t.cwl,
                                d.t.rcd,
                                d.t.rp,
                                d.t.ras,
                                d.t.rrd_s,
                                d.t.rrd_l,
                                d.t.faw,
                                d.t.wr,
                                d.t.rtp,
                                d.t.wtr_s,
                                d.t.wtr_l,
                                d.t.bus_turn,
                                d.t.rfc,
                                d.t.rfc_pb,
                                d.t.refi,
                                static_cast<std::uint64_t>(d.refresh),
                                std::uint64_t{d.hash},
                                d.queue_entries,
                                d.write_high,
                                d.write_low,
                                d.max_row_hits,
                                d.controller_latency})
    numbers.push_back(std::to_string(n));
  return join(numbers, " ") + " map " + join(map, " ");
}

// Part of the turns' cost at half and half that is left at another share of writes, at one length of run.
double turning_at(const DramConfig& dram, const HbmEfficiency::Cost& cost, std::uint64_t write_percent) {
  const double writes = static_cast<double>(write_percent) / 100;
  const double straight = (1 - writes) * cost.read + writes * cost.write;
  const double extra = 1 / steady(dram, kTurningRun, write_percent) - straight;
  return cost.turn > 0 ? std::clamp(extra / cost.turn, 0.0, 2.0) : 0;
}

HbmEfficiency measure_efficiency(const DramConfig& dram) {
  HbmEfficiency table;
  for (const std::uint64_t run : kRuns) {
    if (run < dram.burst_bytes) continue;
    table.rows.push_back({run, steady(dram, run, 0), steady(dram, run, 100), steady(dram, run, 50)});
  }
  const HbmEfficiency::Cost cost = table.cost(kTurningRun);
  table.turning = {turning_at(dram, cost, 25), turning_at(dram, cost, 75)};
  return table;
}

HbmEfficiency efficiency_of(const DramConfig& dram) {
  const std::string path = config_folder() + "/generated/hbm_efficiency.json";
  std::optional<HbmEfficiency> stored;
  try {
    stored = stored_table(nlohmann::json::parse(read_text_file(path)), device_text(dram));
  } catch (const nlohmann::json::exception& problem) {
    throw ConfigError(path + ": " + problem.what() + "; scripts/hbm_efficiency.py writes it anew");
  }
  return stored ? *stored : measure_efficiency(dram);
}

}  // namespace trn
