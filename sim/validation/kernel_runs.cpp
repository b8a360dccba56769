#include "sim/validation/kernel_runs.h"

#include <functional>
#include <sstream>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "kernels/registry.h"
#include "sim/run/simulation.h"

namespace trn {
namespace {

using Run = KernelRuns::Run;

Run simulate(const std::string& machine, const std::string& text) {
  std::istringstream words(text);
  std::string name;
  std::string key;
  std::string value;
  words >> name;
  std::map<std::string, std::string> given;
  while (words >> key >> value) given[key.substr(2)] = value;
  const KernelRow& kernel = find_kernel(name);
  Run run{{}, parse_machine(load_machine_document(machine), "chip"), text.find("fp32") != std::string::npos};
  run.result = run_program(kernel.build(kernel_arguments(kernel, given), run.machine, 1), run.machine);
  return run;
}

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

const Run& KernelRuns::get(const std::string& machine, const std::string& text) {
  auto [at, fresh] = done_.try_emplace({machine, text});
  if (fresh) at->second = simulate(machine, text);
  return at->second;
}

double KernelRuns::predict(ConfigNode& entry) {
  const std::string machine = entry.text("machine");
  const std::string metric = entry.text("metric");
  const Run& run = get(machine, entry.text("run"));
  if (metric != "bandwidth_ratio") return measure(metric, run, entry.path());
  return measure("bandwidth", run, entry.path()) /
         measure("bandwidth", get(machine, entry.text("over")), entry.path());
}

}  // namespace trn
