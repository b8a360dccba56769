#include "workloads/linear_layers.h"

#include "kernels/gemm.h"
#include "models/core/tensor/tensor_cost.h"

namespace trn {
namespace {

constexpr std::uint64_t kKinds = 3;  // FP8 tensors of a linear layer: x, w, dy

std::uint64_t half_sbuf(const MachineConfig& machine) {
  return machine.core.sbuf.usable_bytes_per_partition.count() / 2;
}

// Hand-written quality streams B past a resident block of A; a compiler leaves blocks loaded tile by tile. MX
// multiplies faster than DMA brings B by for 4 tiles: the block is as tall as SBUF allows. Where K is too
// long for a block of A, partial sums are kept in SBUF.
GemmOptions options_of(const GemmOperands& x, const TrainingPlan& plan, const MachineConfig& machine) {
  GemmOptions options;
  const bool fused = plan.lowering == Lowering::kFused;
  options.load = fused ? GemmLoad::kRow : GemmLoad::kTile;
  options.order = fused ? GemmOrder::kStream : GemmOrder::kBlockMn;
  options.m_tiles = 4;
  options.n_tiles = 1;
  for (options.passes = fused && is_mx(x.dtype) ? 4 : 1; options.passes > 0; options.passes /= 2)
    if ((fused ? stream_bytes(x, options.passes, machine) : block_bytes(x, options, machine)) <=
        half_sbuf(machine))
      return options;
  options.passes = 1;
  options.order = GemmOrder::kBlockMnk;
  options.m_tiles = 8;
  // A slab of MX is four times as large: half as many hold a sum back for twice as long.
  options.n_tiles = is_mx(x.dtype) ? 1 : 2;
  options.k_tiles = is_mx(x.dtype) ? 4 : 8;
  return options;
}

// A gemm of a step by its sizes: K, and the columns of A and of B.
struct Shape {
  std::string name;
  std::uint64_t k, a, b;
};

std::vector<Shape> shapes(const ModelSpec& m, const TrainingPlan& plan) {
  const std::uint64_t tokens = plan.sequence * plan.micro_batch, q = m.q_width() / plan.tp,
                      kv = m.kv_width() / plan.tp, ff = m.intermediate / plan.tp;
  std::vector<Shape> out;
  const auto add = [&](Linear which, std::uint64_t k, std::uint64_t n) {
    const std::string& name = kLinearNames[static_cast<std::size_t>(which)];
    out.push_back({name, k, tokens, n});
    out.push_back({name + "_dx", n, tokens, k});
    out.push_back({name + "_dw", tokens, k, n});
  };
  add(Linear::kQkv, m.hidden, q + 2 * kv);
  add(Linear::kO, q, m.hidden);
  add(Linear::kGateUp, m.hidden, 2 * ff);
  add(Linear::kDown, ff, m.hidden);
  return out;
}

bool quantizes_inside(GemmOperands x, const TrainingPlan& plan, const MachineConfig& machine) {
  x.quantize_a = true;
  return plan.lowering == Lowering::kFused && stream_bytes(x, 1, machine) <= half_sbuf(machine);
}

// Copies that go through HBM: B of every gemm, and A where it is not quantised inside.
std::vector<Shape> copies(const ModelSpec& model, const TrainingPlan& plan, const MachineConfig& machine) {
  std::vector<Shape> out;
  for (const Shape& shape : shapes(model, plan)) {
    GemmOperands x;
    x.k = shape.k;
    x.dtype = gemm_dtype(plan.gemms);
    x.c_dtype = DType::kFp32;
    if (!quantizes_inside(x, plan, machine)) out.push_back({shape.name + "_a", shape.k, shape.a, 0});
    out.push_back({shape.name + "_b", shape.k, shape.b, 0});
  }
  return out;
}

std::uint64_t factor_rows(const ModelSpec& model) { return model.layers * 4 * kKinds * 128; }

}  // namespace

DType gemm_dtype(Gemms gemms) {
  switch (gemms) {
    case Gemms::kBf16:
      return DType::kBf16;
    case Gemms::kFp8:
      return DType::kFp8E4M3;
    case Gemms::kMxfp8:
      return DType::kFp8E4M3FnX4;
    case Gemms::kMxfp4:
      break;
  }
  return DType::kFp4E2M1X4;
}

double gemm_speedup(Gemms gemms, const MachineConfig& machine) {
  return static_cast<double>(multiply_speedup(gemm_dtype(gemms), machine.core.tensor));
}

std::uint64_t quantized_bytes(const ModelSpec& model, const TrainingPlan& plan,
                              const MachineConfig& machine) {
  if (plan.gemms == Gemms::kBf16) return 0;
  const DType dtype = gemm_dtype(plan.gemms);
  std::uint64_t bytes = is_mx(dtype) ? 0 : factor_rows(model) * (2 + plan.lnc) * 4;
  for (const Shape& copy : copies(model, plan, machine))
    bytes += copy.k / info(dtype).values * copy.a * operand_bytes(dtype);
  return bytes;
}

LinearLayers::LinearLayers(RankBuilder& rank, const ModelSpec& model, const TrainingPlan& plan,
                           HbmTraffic& traffic)
    : rank_(rank),
      plan_(plan),
      tokens_(plan.sequence * plan.micro_batch),
      traffic_(traffic),
      dtype_(gemm_dtype(plan.gemms)) {
  if (plan.gemms == Gemms::kBf16) return;
  for (const Shape& copy : copies(model, plan, rank.machine()))
    copies_[copy.name] = declare_operand(rank.program(), "narrow_" + copy.name, dtype_, copy.k, copy.a);
  if (is_mx(dtype_)) return;
  factors_ = rank.hbm("fp8_factors", DType::kFp32, factor_rows(model), 2);
  largest_ = rank.hbm("fp8_largest", DType::kFp32, factor_rows(model), rank.core_count());
}

void LinearLayers::forward(Linear which, std::uint64_t layer, Rows x, Rows w, Rows y) {
  GemmOperands g;
  g.a = x.tensor, g.b = w.tensor, g.c = y.tensor;
  g.m = tokens_, g.k = x.tensor.columns, g.n = y.tensor.columns;
  g.a_transposed = true;
  g.a_row = x.row, g.b_row = w.row, g.c_row = y.row;
  multiply(which, layer, "", g, {Kind::kActivation, true}, {Kind::kWeight, true});
}

void LinearLayers::dx(Linear which, std::uint64_t layer, HbmTensor dy, Rows w, HbmTensor dx) {
  GemmOperands g;
  g.a = dy, g.b = w.tensor, g.c = dx;
  g.m = tokens_, g.k = dy.columns, g.n = dx.columns;
  g.a_transposed = g.b_transposed = true;
  g.b_row = w.row;
  multiply(which, layer, "_dx", g, {Kind::kGradient, true}, {Kind::kWeight, false});
}

void LinearLayers::dw(Linear which, std::uint64_t layer, Rows x, HbmTensor dy, HbmTensor dw) {
  GemmOperands g;
  g.a = x.tensor, g.b = dy, g.c = dw;
  g.c_dtype = DType::kFp32;
  g.m = x.tensor.columns, g.k = tokens_, g.n = dy.columns;
  g.a_row = x.row;
  multiply(which, layer, "_dw", g, {Kind::kActivation, false}, {Kind::kGradient, false});
}

void LinearLayers::multiply(Linear which, std::uint64_t layer, const std::string& pass, GemmOperands x,
                            Operand a, Operand b) {
  const std::string region = kLinearNames[static_cast<std::size_t>(which)] + pass;
  if (plan_.gemms != Gemms::kBf16 && which != Linear::kHead) narrow(which, layer, region, x, a, b);
  const GemmOptions options = options_of(x, plan_, rank_.machine());
  rank_.kernel(region, x.m, 128, [&](CoreBuilder& core, std::uint64_t begin, std::uint64_t end) {
    x.a_scaling.largest_column = begin == 0 ? 0 : 1;
    gemm(core, x, options, begin, end);
    traffic_ += gemm_traffic(x, options, begin, end);
  });
}

// From bf16 operands to quantised ones.
void LinearLayers::narrow(Linear which, std::uint64_t layer, const std::string& region, GemmOperands& x,
                          Operand a, Operand b) {
  x.dtype = dtype_;
  x.a_scaling = scaling(which, layer, a), x.b_scaling = scaling(which, layer, b);
  const QuantizedOperand narrow_b =
      quantize(region + "_b", {x.b, x.b_row, x.b_transposed}, x.k, x.n, x.b_scaling);
  x.b = narrow_b.values, x.b_scales = narrow_b.scales;
  x.b_row = 0, x.b_transposed = false;
  x.quantize_a = copies_.count(region + "_a") == 0;
  if (x.quantize_a) return;
  const QuantizedOperand narrow_a =
      quantize(region + "_a", {x.a, x.a_row, x.a_transposed}, x.k, x.m, x.a_scaling);
  x.a = narrow_a.values, x.a_scales = narrow_a.scales;
  x.a_row = 0, x.a_transposed = false;
}

QuantizedOperand LinearLayers::quantize(const std::string& name, QuantizeSource from, std::uint64_t k,
                                        std::uint64_t columns, const Fp8Scaling& scaling) {
  QuantizeOperand job{from, copies_.at(name), dtype_, k, columns, scaling};
  rank_.kernel("quantize", k, quantize_granule(dtype_, rank_.machine()),
               [&](CoreBuilder& core, std::uint64_t begin, std::uint64_t end) {
                 job.scaling.largest_column = begin == 0 ? 0 : 1;
                 quantize_operand(core, job, begin, end);
                 traffic_ += quantize_traffic(job, begin, end);
               });
  return job.to;
}

Fp8Scaling LinearLayers::scaling(Linear which, std::uint64_t layer, Operand operand) const {
  const std::uint64_t row =
      ((layer * 4 + static_cast<std::uint64_t>(which)) * kKinds + static_cast<std::uint64_t>(operand.kind)) *
      128;
  return {factors_, row, operand.track ? largest_ : HbmTensor{}, row, 0};
}

}  // namespace trn
