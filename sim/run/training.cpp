#include "sim/run/training.h"

#include <cmath>

#include "base/error.h"
#include "models/interconnect/collectives/bounds/bounds.h"
#include "workloads/linear_layers.h"

namespace trn {
namespace {

// FLOPs that take the array as long in bf16 as these do, `gemms` of them in the plan's precision.
double bf16_equivalent(std::uint64_t flops, std::uint64_t gemms, double speedup) {
  return static_cast<double>(flops - gemms) + static_cast<double>(gemms) / speedup;
}

// Time the array needs for some FLOPs in bf16, at one moving column a cycle.
Picoseconds array_time(double flops, const MachineConfig& machine) {
  return Picoseconds(static_cast<std::uint64_t>(flops / machine.core_bf16_flops() * 1e12));
}

// The step on core 0's array, from ideal to real. Every row is measured but the last, which is what is left.
void fill_ledger(TrainingResult& r, const MachineConfig& machine) {
  const std::uint64_t cores = r.plan.lnc;
  const EngineStats& tensor = r.run.engine(0, Engine::kTensor).stats;
  const WaitTimes& waits = r.run.tensor_waits[0];
  const auto wait = [&](WaitCause cause) { return waits[static_cast<std::size_t>(cause)]; };
  const auto share = [&](std::uint64_t flops, std::uint64_t gemms) {
    return array_time(bf16_equivalent(flops / cores, gemms / cores, r.gemm_speedup), machine);
  };
  const Picoseconds ideal = share(r.flops.model, r.flops.model_gemms);
  const Picoseconds recompute = share(r.flops.recompute, r.flops.recompute_gemms);
  const Picoseconds masked = share(r.flops.masked, 0);
  const Picoseconds useful = ideal + recompute + masked;
  const Picoseconds matmul = tensor.array_busy - tensor.limiter_busy - tensor.transpose_busy;
  // The cores of a pair do not always execute exactly half each; what core 0 does more or less is in "waste".
  const auto signed_rest = [](Picoseconds a, Picoseconds b) {
    return static_cast<std::int64_t>(a.count()) - static_cast<std::int64_t>(b.count());
  };
  std::vector<std::string> array{"neuron_core.tensor.clock", "neuron_core.tensor.rows",
                                 "neuron_core.tensor.columns"};
  if (r.plan.gemms == Gemms::kFp8) array.insert(array.end(), {"neuron_core.tensor.fp8_"});
  if (r.plan.gemms == Gemms::kMxfp8) array.insert(array.end(), {"neuron_core.tensor.mxfp8_"});
  if (r.plan.gemms == Gemms::kMxfp4) array.insert(array.end(), {"neuron_core.tensor.mxfp4_"});
  const std::vector<std::string> memory{"neuron_core.dma.", "hbm.stack", "hbm.efficiency"};
  r.ledger = {
      {"ideal matmul", ideal, array},
      {"recompute", recompute, array},
      {"masked attention tiles", masked, array},
      {"tile and pad waste",
       Picoseconds(static_cast<std::uint64_t>(std::max<std::int64_t>(0, signed_rest(matmul, useful)))),
       {"neuron_core.tensor.clock", "neuron_core.tensor.bubble"}},
      {"transposes",
       tensor.transpose_busy,
       {"neuron_core.tensor.clock", "neuron_core.tensor.bubble", "neuron_core.tensor.min_interval"}},
      {"current limiter", tensor.limiter_busy, {"neuron_core.tensor.limiter"}},
      {"waiting on Vector, Scalar, GpSimd",
       wait(WaitCause::kOtherEngine),
       {"neuron_core.vector.", "neuron_core.scalar.", "neuron_core.gpsimd.startup",
        "neuron_core.semaphores.hop"}},
      {"DMA and HBM stall", wait(WaitCause::kTransfer), memory},
      {"TP collectives exposed", wait(WaitCause::kTensorAxis), {"collectives.", "die_to_die.", "hbm."}},
      {"FSDP collectives exposed",
       wait(WaitCause::kDataAxis),
       {"collectives.", "link.", "link_presets.", "shapes.", "hbm."}}};
  Picoseconds sum;
  for (const LedgerRow& row : r.ledger) sum += row.time;
  // After the last matmul: optimizer, last scatters; and the slots of weight loads that hid under nothing.
  TRN_CHECK(sum <= r.run.time, "the ledger exceeds the step");
  r.ledger.push_back({"optimizer and rest", r.run.time - sum, memory});
}

void fill_utilisation(TrainingResult& r, const ModelSpec& model, const MachineConfig& machine) {
  r.conventions = training_flops(model, r.plan.sequence);
  const double cores = static_cast<double>(machine.chip.neuron_cores * r.chips);
  const double seconds = to_seconds(r.run.time);
  const std::vector<std::pair<std::string, double>> denominators{
      {"clock: 128x128x2xGHz", machine.core_bf16_flops() * cores},
      {"vendor's core figure", static_cast<double>(machine.chip.vendor_core_bf16_gflops) * 1e9 * cores},
      {"vendor's chip figure",
       static_cast<double>(machine.chip.marketing_bf16_gflops) * 1e9 * static_cast<double>(r.chips)}};
  for (const FlopsConvention& convention : r.conventions)
    for (const auto& [name, peak] : denominators)
      r.utilisation.push_back(
          {convention.name, name,
           static_cast<double>(convention.per_token * r.plan.tokens_per_step()) / seconds / peak});
  const double rank_peak = machine.core_bf16_flops() * static_cast<double>(r.plan.lnc);
  r.hfu = static_cast<double>(r.run.array_flops) / seconds / rank_peak;
  r.adjusted_mfu = bf16_equivalent(r.flops.model, r.flops.model_gemms, r.gemm_speedup) / seconds / rank_peak;
  for (const ResourceResult& resource : r.run.resources)  // collectives included
    if (resource.name == "HBM stack") r.hbm_utilisation = ratio(resource.achieved, resource.peak);
}

void fill_collectives(TrainingResult& r, const MachineConfig& machine) {
  const WaitTimes& waits = r.run.tensor_waits[0];
  r.tensor_exposed = waits[static_cast<std::size_t>(WaitCause::kTensorAxis)];
  r.data_exposed = waits[static_cast<std::size_t>(WaitCause::kDataAxis)];
  for (const CollectiveSummary& c : r.run.collectives) {
    const std::uint64_t ranks = c.axis == "tp" ? r.plan.tp : r.plan.fsdp;
    CollectiveOp op = CollectiveOp::kAllReduce;
    for (std::size_t i = 0; i < kCollectiveOps.size(); ++i)
      if (c.op == kCollectiveOps[i]) op = static_cast<CollectiveOp>(i);
    CollectiveUse use{c, ratio(static_cast<double>(c.bytes), to_us(c.time)) * 1e-3, 0, Picoseconds(0)};
    use.busbw_gb_per_s = use.algbw_gb_per_s * busbw_factor(op, ranks);
    if (c.axis == "fsdp") {  // the links are shared by the chip's groups, one a tensor-parallel rank
      CollectiveTask task;
      task.op = op;
      task.bytes = c.bytes * r.plan.tp;
      const Topology topology(machine.fabric);
      const auto lanes = static_cast<std::uint32_t>(ranks_per_chip(machine, r.plan.lnc) / r.plan.tp);
      const Group group = Group::whole(static_cast<std::uint32_t>(topology.chips()), lanes);
      const CollectiveBound bound = collective_bound(task, group, topology, {});
      use.bound = Picoseconds(static_cast<std::uint64_t>(bound.picoseconds));
      TRN_CHECK(c.time >= use.bound, "a collective beat its bound");
    }
    r.collectives.push_back(use);
  }
}

// tp inside the chip, fsdp over what is left of it and the chips.
std::vector<MeshAxis> mesh(const TrainingPlan& plan) { return {{"tp", plan.tp}, {"fsdp", plan.fsdp}}; }

}  // namespace

TrainingResult simulate_training(const ModelSpec& model, const TrainingPlan& plan,
                                 const MachineConfig& machine, RunListener* listener) {
  check_plan(plan, model, machine);
  TrainingResult r;
  r.model = model.name;
  r.machine = machine.name + ':' + machine.shape;
  r.plan = plan;
  r.chips = machine.fabric.chips();
  r.footprint = footprint(model, plan, machine);
  if (!r.footprint.fits())
    throw CapacityError(
        model.name + " on " + r.machine + " does not fit: " + std::to_string(r.footprint.total() >> 20) +
        " MiB of " + std::to_string(r.footprint.capacity >> 20) +
        " MiB a rank; recompute more, shard wider or shorten the sequence\n" + footprint_table(r.footprint));
  TrainingStep step = training_step(model, plan, machine);
  r.flops = step.flops;
  r.gemm_speedup = gemm_speedup(plan.gemms, machine);
  r.traffic = step.traffic;
  r.run = run_folded(uniform_job(std::move(step.program), mesh(plan)), machine, nullptr, listener);
  TRN_CHECK(r.run.array_flops == r.flops.executed(),
            "FLOPs on the array, " + std::to_string(r.run.array_flops) +
                ", differ from the model's plus extras, " + std::to_string(r.flops.executed()));
  TRN_CHECK(r.run.hbm_read.count() == r.traffic.read && r.run.hbm_write.count() == r.traffic.write,
            "HBM bytes, " + std::to_string(r.run.hbm_read.count()) + " read and " +
                std::to_string(r.run.hbm_write.count()) + " written, differ from the loop nests', " +
                std::to_string(r.traffic.read) + " and " + std::to_string(r.traffic.write));
  fill_ledger(r, machine);
  fill_utilisation(r, model, machine);
  fill_collectives(r, machine);
  return r;
}

JobResult simulate_every_rank(const ModelSpec& model, const TrainingPlan& plan, const MachineConfig& machine,
                              RunListener* listener) {
  check_plan(plan, model, machine);
  TrainingStep step = training_step(model, plan, machine);
  return run_every_rank(uniform_job(std::move(step.program), mesh(plan)), machine, listener);
}

}  // namespace trn
