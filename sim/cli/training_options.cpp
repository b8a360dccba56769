#include "sim/cli/training_options.h"

namespace trn {

void add_training_options(CLI::App& command, TrainingQuestion& q) {
  command.add_option("--model", q.model, "Hugging Face config.json, or a name in configs/models");
  command.add_option("--layout", q.layout, "tp=...,fsdp=...; fsdp left out takes all ranks of the machine");
  command.add_option("--seq", q.sequence, "tokens of a sequence")
      ->check(CLI::Range(1, 1 << 24))
      ->capture_default_str();
  command.add_option("--micro-batch", q.micro_batch, "sequences of a micro-step and group")
      ->check(CLI::Range(1, 1 << 24))
      ->capture_default_str();
  command.add_option("--global-batch", q.global_batch, "sequences of a step")->check(CLI::Range(1, 1 << 24));
  command.add_option("--tokens-per-step", q.tokens_per_step,
                     "instead of --global-batch; a multiple of --seq");
  command.add_option("--lnc", q.lnc, "physical cores a rank")
      ->check(CLI::IsMember({1, 2}))
      ->capture_default_str();
  command.add_option("--recompute", q.recompute, "none, selective, full, or auto: the least that fits")
      ->capture_default_str();
  command
      .add_option("--lowering", q.lowering,
                  "fused: hand-written kernels; compiled: what a graph compiler leaves")
      ->capture_default_str();
  command
      .add_option(
          "--gemms", q.gemms,
          "what the linear layers but the LM head multiply: bf16, fp8 (trn2, trn3), mxfp8 (trn3), mxfp4")
      ->capture_default_str();
}

}  // namespace trn
