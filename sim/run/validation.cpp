#include "sim/run/validation.h"

#include <cmath>
#include <functional>
#include <map>
#include <sstream>

#include "base/config/config_document.h"
#include "base/error.h"
#include "base/text.h"
#include "kernels/registry.h"
#include "sim/run/simulation.h"

namespace trn {
namespace {

// --- files ---------------------------------------------------------------------------------------------

// One line of CSV; fields may stand in double quotes.
std::vector<std::string> fields(const std::string& line, const std::string& where) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      out.back() += line[i++];
    else if (line[i] == '"')
      quoted = !quoted;
    else if (line[i] == ',' && !quoted)
      out.emplace_back();
    else
      out.back() += line[i];
  }
  if (quoted) throw ConfigError(where + ": a quote that is never closed");
  return out;
}

// --- runs ------------------------------------------------------------------------------------------------

struct Run {
  RunResult result;
  MachineConfig machine;
  bool fp32 = false;
};

class Runs {
 public:
  const Run& get(const std::string& machine, const std::string& text) {
    auto [at, fresh] = done_.try_emplace({machine, text});
    if (fresh) at->second = simulate(machine, text);
    return at->second;
  }

 private:
  static Run simulate(const std::string& machine, const std::string& text) {
    std::istringstream words(text);
    std::string name;
    std::string key;
    std::string value;
    words >> name;
    std::map<std::string, std::string> given;
    while (words >> key >> value) given[key.substr(2)] = value;
    const KernelRow& kernel = find_kernel(name);
    Run run{
        {}, parse_machine(load_machine_document(machine), "chip"), text.find("fp32") != std::string::npos};
    run.result = run_program(kernel.build(kernel_arguments(kernel, given), run.machine, 1), run.machine);
    return run;
  }

  std::map<std::pair<std::string, std::string>, Run> done_;
};

double us(const Run& run) { return to_us(run.result.time); }
// A kernel launched alone also starts and ends.
double launched_us(const Run& run) { return us(run) + to_us(run.machine.kernel_overhead); }
const EngineStats& stats(const Run& run, Engine engine) { return run.result.engine(0, engine).stats; }
double busy_us(const Run& run, Engine engine) { return to_us(stats(run, engine).busy); }
double active_us(const Run& run, Engine engine) { return to_us(stats(run, engine).active); }
double bytes(const Run& run) {
  return static_cast<double>((run.result.hbm_read + run.result.hbm_write).count());
}
double peak_flops_us(const Run& run) {
  return static_cast<double>(run.result.model_flops) / run.machine.core_bf16_flops() * 1e6;
}
double hbm_us(const Run& run) { return bytes(run) / static_cast<double>(run.machine.hbm.stack_rate.count()); }
double matmul_opcodes(const Run& run) {
  return static_cast<double>(stats(run, Engine::kTensor).matmuls *
                             (run.fp32 ? run.machine.core.tensor.fp32_opcodes : 1));
}
double transposes(const Run& run) {
  const EngineStats& tensor = stats(run, Engine::kTensor);
  return static_cast<double>(tensor.transposes);
}

struct Metric {
  const char* name;
  std::function<double(const Run&)> of;
};
const std::vector<Metric>& metrics() {
  static const std::vector<Metric> kTable{
      {"time_us", us},
      {"time_ms", [](const Run& r) { return us(r) * 1e-3; }},
      {"launched_us", launched_us},
      {"launched_ms", [](const Run& r) { return launched_us(r) * 1e-3; }},
      {"tensor_active_percent", [](const Run& r) { return 100 * r.result.active(0, Engine::kTensor); }},
      {"vector_active_percent", [](const Run& r) { return 100 * active_us(r, Engine::kVector) / us(r); }},
      {"dma_active_percent", [](const Run& r) { return 100 * to_us(r.result.dma_active) / us(r); }},
      {"mfu_percent", [](const Run& r) { return 100 * peak_flops_us(r) / us(r); }},
      {"launched_mfu_percent", [](const Run& r) { return 100 * peak_flops_us(r) / launched_us(r); }},
      {"hbm_percent", [](const Run& r) { return 100 * hbm_us(r) / us(r); }},
      {"launched_hbm_percent", [](const Run& r) { return 100 * hbm_us(r) / launched_us(r); }},
      {"tensor_us", [](const Run& r) { return busy_us(r, Engine::kTensor); }},
      {"vector_us", [](const Run& r) { return active_us(r, Engine::kVector); }},
      {"vector_ms", [](const Run& r) { return active_us(r, Engine::kVector) * 1e-3; }},
      {"scalar_us", [](const Run& r) { return active_us(r, Engine::kScalar); }},
      {"dma_us", [](const Run& r) { return to_us(r.result.dma_active); }},
      {"dma_ns", [](const Run& r) { return to_us(r.result.dma_active) * 1e3; }},
      {"matmul_opcodes", matmul_opcodes},
      {"matmul_opcode_ns",
       [](const Run& r) { return busy_us(r, Engine::kTensor) * 1e3 / matmul_opcodes(r); }},
      {"transposes", transposes},
      {"transfers", [](const Run& r) { return static_cast<double>(r.result.transfers); }},
      {"read_bytes", [](const Run& r) { return static_cast<double>(r.result.hbm_read.count()); }},
      {"written_bytes", [](const Run& r) { return static_cast<double>(r.result.hbm_write.count()); }},
      {"bandwidth", [](const Run& r) { return bytes(r) / us(r); }}};
  return kTable;
}

double measure(const std::string& name, const Run& run, const std::string& where) {
  std::vector<std::string> known;
  for (const Metric& metric : metrics()) {
    if (name == metric.name) return metric.of(run);
    known.emplace_back(metric.name);
  }
  throw ConfigError(where + ": unknown metric \"" + name + '"' + suggestion(name, known));
}

}  // namespace

std::vector<MeasuredRow> read_measurements(const std::string& path) {
  std::istringstream text(read_text_file(path));
  std::string line;
  std::getline(text, line);
  std::map<std::string, std::size_t> column;
  const std::vector<std::string> header = fields(line, path + ":1");
  for (std::size_t i = 0; i < header.size(); ++i) column[header[i]] = i;
  for (const char* name : {"id", "generation", "scale", "workload", "metric", "value", "unit", "usable_for"})
    if (column.count(name) == 0) throw ConfigError(path + ":1: no column " + name);
  std::vector<MeasuredRow> rows;
  for (std::size_t number = 2; std::getline(text, line); ++number) {
    const std::string where = path + ':' + std::to_string(number);
    const std::vector<std::string> f = fields(line, where);
    if (f.size() != header.size())
      throw ConfigError(where + ": " + std::to_string(f.size()) + " fields, the header has " +
                        std::to_string(header.size()));
    const auto at = [&](const char* name) { return f[column.at(name)]; };
    // Rows of several figures keep the first; the map does not simulate them.
    rows.push_back({at("id"), at("generation"), at("scale"), at("workload"), at("metric"), at("unit"),
                    at("usable_for"), std::strtod(at("value").c_str(), nullptr)});
  }
  return rows;
}

double ValidationRow::log_error() const { return std::log(*predicted / measured.value); }

std::vector<ValidationRow> validate(const std::string& folder, const std::string& filter) {
  const ConfigDocument map = ConfigDocument::load(folder + "/core_map.json");
  ConfigNode root = map.root();
  Runs runs;
  std::vector<ValidationRow> rows;
  for (MeasuredRow& measured : read_measurements(folder + "/core.csv")) {
    ConfigNode entry = root.child(measured.id);
    if (measured.id.find(filter) == std::string::npos) continue;
    ValidationRow row;
    row.measured = std::move(measured);
    if (entry.has("why")) {
      row.why = entry.text("why");
    } else {
      row.run = entry.text("run");
      row.group = entry.text("group");
      const std::string machine = entry.text("machine");
      const std::string metric = entry.text("metric");
      row.upper = entry.has("bound") && entry.text("bound") == "upper";
      const Run& run = runs.get(machine, row.run);
      if (metric == "bandwidth_ratio")
        row.predicted = measure("bandwidth", run, entry.path()) /
                        measure("bandwidth", runs.get(machine, entry.text("over")), entry.path());
      else
        row.predicted = measure(metric, run, entry.path());
      row.run += " (" + machine + ')';
    }
    entry.reject_unknown_keys();
    rows.push_back(std::move(row));
  }
  return rows;
}

std::vector<GroupScore> scores(const std::vector<ValidationRow>& rows) {
  std::map<std::pair<std::string, std::string>, GroupScore> groups;
  for (const ValidationRow& row : rows) {
    if (!row.predicted || row.upper) continue;
    GroupScore& score = groups[{row.measured.use, row.group}];
    ++score.rows;
    score.geometric_mean += std::fabs(row.log_error());
    score.bias += row.log_error();
  }
  std::vector<GroupScore> out;
  for (auto& [key, score] : groups) {
    score.use = key.first;
    score.group = key.second;
    score.geometric_mean = std::exp(score.geometric_mean / static_cast<double>(score.rows));
    score.bias = std::exp(score.bias / static_cast<double>(score.rows));
    out.push_back(score);
  }
  return out;
}

}  // namespace trn
