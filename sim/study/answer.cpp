#include "sim/study/answer.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"

namespace trn {
namespace {

constexpr double kGib = 1024.0 * 1024 * 1024;

double share(Picoseconds part, Picoseconds whole) { return ratio(to_us(part), to_us(whole)); }

const AnswerPart& largest(const std::vector<AnswerPart>& parts) {
  return *std::max_element(parts.begin(), parts.end(),
                           [](const AnswerPart& a, const AnswerPart& b) { return a.time < b.time; });
}

Answer answer_training(const TrainingQuestion& q, const Machine& machine) {
  const TrainingSetting s = training_setting(q, machine.config);
  return answer(simulate_training(s.model, s.plan, machine.config));
}

// One size, one algorithm.
Answer answer_collective(const CollectiveQuestion& q, const Machine& machine) {
  CollectiveSetting s = collective_setting(q, machine.config);
  s.check_algorithm();
  if (s.sizes.size() != 1 || s.algorithm == "all")
    throw UsageError("collective: a question has one size and one algorithm; use an axis for more");
  s.set_size(s.sizes[0]);
  s.job.algorithm = s.algorithm;
  return answer(q, s, run_collectives(s.all(), s.machine, s.options));
}

std::vector<AnswerPart> array_parts(const RunResult& run) {
  const EngineStats& tensor = run.engine(0, Engine::kTensor).stats;
  const WaitTimes& waits = run.tensor_waits[0];
  std::vector<AnswerPart> parts{
      {"matmul", tensor.array_busy - tensor.limiter_stall - tensor.transpose_busy},
      {"transposes", tensor.transpose_busy},
      {"current limiter", tensor.limiter_stall},
      {"waiting on Vector, Scalar, GpSimd", waits[static_cast<std::size_t>(WaitCause::kOtherEngine)]},
      {"DMA and HBM stall", waits[static_cast<std::size_t>(WaitCause::kTransfer)]}};
  Picoseconds sum;
  for (const AnswerPart& part : parts) sum += part.time;
  TRN_CHECK(sum <= run.time, "the parts exceed the run");
  parts.push_back({"rest", run.time - sum});
  return parts;
}

// What held transfers up most of the run: a resource, or that nothing moved while descriptors were made.
// Empty if they were never held up.
std::string transfer_limiter(const RunResult& run) {
  if (run.resources.empty()) return "";
  const auto binding = std::max_element(
      run.resources.begin(), run.resources.end(),
      [](const ResourceResult& a, const ResourceResult& b) { return a.binding < b.binding; });
  if (share(run.descriptors_only, run.time) > binding->binding) return "making descriptors";
  return binding->binding > 0 ? binding->name : "";
}

// What is behind the part where the array is not what takes most of the time.
std::string limiter_of(const RunResult& run, const AnswerPart& part) {
  if (part.name == "ideal matmul" || part.name == "matmul") return "Tensor array";
  const bool elsewhere = part.name == "rest" || part.name == "DMA and HBM stall";
  const std::string behind = elsewhere ? transfer_limiter(run) : "";
  return behind.empty() ? part.name : part.name + ": " + behind;
}

Answer answer_kernel(const KernelQuestion& q, const Machine& machine) {
  const RunResult r = run_kernel(q, machine.config);
  const double seconds = to_seconds(r.time);
  Answer out{
      r.time,
      {{"time_us", to_us(r.time)},
       {"tflops", ratio(static_cast<double>(r.model_flops), seconds) * 1e-12},
       {"hbm_gb_per_s", ratio(static_cast<double>((r.hbm_read + r.hbm_write).count()), seconds) * 1e-9},
       {"tensor_active", r.active(0, Engine::kTensor)},
       {"chips", 1}},
      array_parts(r),
      ""};
  out.limiter = limiter_of(r, largest(out.parts));
  return out;
}

}  // namespace

const std::vector<MetricInfo>& metric_table() {
  static const std::vector<MetricInfo> kTable{
      {"tokens_per_s", "tokens/s", true, "of the whole machine"},
      {"tokens_per_s_per_chip", "tokens/s", true, "of a chip"},
      {"step_us", "us", false, "time of an optimizer step"},
      {"mfu", "ratio", true, "causal FLOPs, multiplied parameters only, against the BF16 clock peak"},
      {"hfu", "ratio", true, "all FLOPs on the array against the BF16 clock peak"},
      {"exposed_comm", "ratio", false, "share of the step in which the array waits for collectives"},
      {"exposed_tp", "ratio", false, "of it, tensor parallel"},
      {"exposed_fsdp", "ratio", false, "of it, fully sharded data parallel"},
      {"dma_stall", "ratio", false, "share of the step in which the array waits for DMA and HBM"},
      {"hbm_utilisation", "ratio", true, "of a stack's peak, collectives included"},
      {"hbm_gib", "GiB", false, "HBM a rank needs"},
      {"time_us", "us", false, "time of the collective or kernel"},
      {"busbw_gb_per_s", "GB/s", true, "bus bandwidth"},
      {"algbw_gb_per_s", "GB/s", true, "algorithm bandwidth"},
      {"bound_us", "us", false, "what no schedule can beat"},
      {"over_bound", "ratio", false, "time over the bound"},
      {"tflops", "TFLOPS", true, "useful FLOPs of the kernel over its time"},
      {"hbm_gb_per_s", "GB/s", true, "read and written"},
      {"tensor_active", "ratio", true, "share of the run in which the Tensor engine is busy"},
      {"chips", "", false, "of the machine"},
  };
  return kTable;
}

const MetricInfo& metric_info(const std::string& name) {
  std::vector<std::string> known;
  for (const MetricInfo& info : metric_table()) {
    if (name == info.name) return info;
    known.emplace_back(info.name);
  }
  throw UsageError("metric \"" + name + "\": unknown" + suggestion(name, known));
}

double Answer::metric(const std::string& name) const {
  std::vector<std::string> known;
  for (const Metric& metric : metrics) {
    if (metric.name == name) return metric.value;
    known.push_back(metric.name);
  }
  throw UsageError("metric \"" + name + "\": this question has none" + suggestion(name, known));
}

Answer answer(const TrainingResult& r) {
  const double chips = static_cast<double>(r.chips);
  double mfu = 0;
  for (const Utilisation& u : r.utilisation)
    if (u.flops == "causal" && mfu == 0) mfu = u.value;  // the clock's peak comes first
  Answer out{r.run.time,
             {{"tokens_per_s", r.tokens_per_second()},
              {"tokens_per_s_per_chip", r.tokens_per_second() / chips},
              {"step_us", to_us(r.run.time)},
              {"mfu", mfu},
              {"hfu", r.hfu},
              {"exposed_comm", share(r.tensor_exposed + r.data_exposed, r.run.time)},
              {"exposed_tp", share(r.tensor_exposed, r.run.time)},
              {"exposed_fsdp", share(r.data_exposed, r.run.time)},
              {"dma_stall",
               share(r.run.tensor_waits[0][static_cast<std::size_t>(WaitCause::kTransfer)], r.run.time)},
              {"hbm_utilisation", r.hbm_utilisation},
              {"hbm_gib", static_cast<double>(r.footprint.total()) / kGib},
              {"chips", chips}},
             {},
             ""};
  for (const LedgerRow& row : r.ledger) out.parts.push_back({row.name, row.time});
  out.limiter = limiter_of(r.run, largest(out.parts));
  return out;
}

Answer answer(const CollectiveQuestion& q, const CollectiveSetting& s, const CollectiveResult& r) {
  const Picoseconds late = straggler_time(q, s.job.group.ranks());
  const Picoseconds time = r.time + late;
  const Picoseconds bound = std::min(r.time, Picoseconds(static_cast<std::uint64_t>(r.bound.picoseconds)));
  const double algbw = ratio(static_cast<double>(s.job.task.bytes), to_us(time)) * 1e-3;
  Answer out{time,
             {{"time_us", to_us(time)},
              {"busbw_gb_per_s", algbw * busbw_factor(s.job.task.op, s.job.group.ranks())},
              {"algbw_gb_per_s", algbw},
              {"bound_us", to_us(bound)},
              {"over_bound", ratio(to_us(time), to_us(bound))},
              {"chips", static_cast<double>(s.machine.fabric.chips() * q.domains)}},
             {{"bound: " + r.bound.limited_by, bound}, {"above the bound", r.time - bound}},
             r.binding};
  if (late.count() > 0) out.parts.push_back({"stragglers", late});
  return out;
}

Answer answer(const Question& question, const Machine& machine) {
  if (const auto* training = std::get_if<TrainingQuestion>(&question))
    return answer_training(*training, machine);
  if (const auto* collective = std::get_if<CollectiveQuestion>(&question))
    return answer_collective(*collective, machine);
  return answer_kernel(std::get<KernelQuestion>(question), machine);
}

nlohmann::ordered_json answer_json(const Answer& answer) {
  nlohmann::ordered_json json;
  json["time_ps"] = answer.time.count();
  for (const Metric& metric : answer.metrics) json["metrics"][metric.name] = metric.value;
  for (const AnswerPart& part : answer.parts) json["parts_ps"][part.name] = part.time.count();
  json["limiter"] = answer.limiter;
  return json;
}

Answer parse_answer(const nlohmann::ordered_json& json, const std::string& where) {
  try {
    Answer out;
    out.time = Picoseconds(json.at("time_ps").get<std::uint64_t>());
    for (const MetricInfo& info : metric_table())
      if (json.at("metrics").contains(info.name))
        out.metrics.push_back({info.name, json["metrics"][info.name].get<double>()});
    for (const auto& item : json.at("parts_ps").items())
      out.parts.push_back({item.key(), Picoseconds(item.value().get<std::uint64_t>())});
    out.limiter = json.at("limiter").get<std::string>();
    if (out.metrics.empty() || out.parts.empty()) throw ConfigError(where + ": an answer without figures");
    return out;
  } catch (const nlohmann::json::exception& problem) {
    throw ConfigError(where + ": not an answer of trnsim: " + problem.what());
  }
}

}  // namespace trn
