// The linear layers of a step: forward, dx and dw as gemms in the plan's precision.
//
// In FP8 and MX a gemm's operands are quantised from bf16, each both ways round, since the array wants K on
// partitions and the DMA engines do not transpose single bytes (and MX scales go along K). A hand-written
// kernel quantises the operand it reads once on the way in; other copies go through HBM. Results are bf16,
// gradients of weights fp32. The LM head stays in bf16, as in the recipes of Transformer Engine, torchtitan
// and DeepSeek-V3.
#pragma once

#include <map>
#include <string>

#include "kernels/builder/rank_builder.h"
#include "kernels/pointwise.h"
#include "kernels/quantize_operand.h"
#include "workloads/layout.h"
#include "workloads/model_spec.h"

namespace trn {

enum class Linear : std::uint8_t { kQkv, kO, kGateUp, kDown, kHead };
inline const std::vector<std::string> kLinearNames{"qkv", "o", "gate_up", "down", "lm_head"};

// What the array multiplies in these gemms.
DType gemm_dtype(Gemms gemms);
// How many times as fast as bf16 the array multiplies them.
double gemm_speedup(Gemms gemms, const MachineConfig& machine);

// Bytes of a rank's quantised copies in HBM, and of FP8's factors; 0 in bf16.
std::uint64_t quantized_bytes(const ModelSpec& model, const TrainingPlan& plan, const MachineConfig& machine);

class LinearLayers {
 public:
  // Adds the bytes of its kernels to `traffic`.
  LinearLayers(RankBuilder& rank, const ModelSpec& model, const TrainingPlan& plan, HbmTraffic& traffic);

  // y[tokens, n] = x[tokens, k] w[k, n]
  void forward(Linear which, std::uint64_t layer, Rows x, Rows w, Rows y);
  // dx[tokens, k] = dy[tokens, n] transpose(w[k, n])
  void dx(Linear which, std::uint64_t layer, HbmTensor dy, Rows w, HbmTensor dx);
  // dw[k, n] = transpose(x[tokens, k]) dy[tokens, n], in fp32
  void dw(Linear which, std::uint64_t layer, Rows x, HbmTensor dy, HbmTensor dw);

 private:
  enum class Kind : std::uint8_t { kActivation, kWeight, kGradient };
  struct Operand {
    Kind kind;
    bool track;  // find its largest magnitude
  };
  void multiply(Linear which, std::uint64_t layer, const std::string& pass, GemmOperands x, Operand a,
                Operand b);
  void narrow(Linear which, std::uint64_t layer, const std::string& region, GemmOperands& x, Operand a,
              Operand b);
  QuantizedOperand quantize(const std::string& name, QuantizeSource from, std::uint64_t k,
                            std::uint64_t columns, const Fp8Scaling& scaling);
  Fp8Scaling scaling(Linear which, std::uint64_t layer, Operand operand) const;

  RankBuilder& rank_;
  const TrainingPlan& plan_;
  std::uint64_t tokens_;
  HbmTraffic& traffic_;
  DType dtype_;
  std::map<std::string, QuantizedOperand> copies_;
  HbmTensor factors_, largest_;
};

}  // namespace trn
