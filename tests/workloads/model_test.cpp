#include <gtest/gtest.h>

#include "base/error.h"
#include "workloads/flops.h"

namespace trn {
namespace {

// Published sizes, recomputed by hand from the shapes (docs/calibration.md#models).
TEST(ModelSpec, CountsParameters) {
  EXPECT_EQ(load_model("Qwen3-32B").total_parameters(), 32'762'123'264u);
  EXPECT_EQ(load_model("Qwen3-8B").total_parameters(), 8'190'735'360u);
  EXPECT_EQ(load_model("Llama-3.1-8B").total_parameters(), 8'030'261'248u);
  EXPECT_EQ(load_model("Llama-3.1-70B").total_parameters(), 70'553'706'496u);
  EXPECT_EQ(load_model("Mixtral-8x7B-v0.1").total_parameters(), 46'702'792'704u);
  EXPECT_EQ(load_model("Mixtral-8x7B-v0.1").active_parameters(), 12'879'925'248u);
}

// Qwen3-32B at 4096: N = 32,762,123,264; attention 12 x 64 x 8192 x 4096 = 25,769,803,776.
//   6 N + attention = 222,342,543,360; without the embedding of 151,936 x 5120: less 6 x 777,912,320;
//   causal: less half of the attention; norms are 64 x (2 x 5120 + 256) + 5120 = 676,864 parameters.
TEST(Flops, EveryConventionToTheDigit) {
  const ModelSpec qwen = load_model("Qwen3-32B");
  EXPECT_EQ(flops_per_token(qwen, 4096, "6N+attn"), 222'342'543'360u);
  EXPECT_EQ(flops_per_token(qwen, 4096, "palm"), 217'675'069'440u);
  EXPECT_EQ(flops_per_token(qwen, 4096, "6N+attn/2"), 209'457'641'472u);
  EXPECT_EQ(flops_per_token(qwen, 4096, "palm/2"), 204'790'167'552u);
  EXPECT_EQ(flops_per_token(qwen, 4096, "causal"), 204'786'106'368u);
}

// pytorch/torchtitan pull 4300: Qwen3-30B-A3B at 8192 tokens.
TEST(Flops, AgreesWithTorchTitan) {
  EXPECT_EQ(flops_per_token(load_model("Qwen3-30B-A3B-Instruct-2507"), 8192, "palm"), 37'578'559'488u);
}

// NVIDIA-NeMo/RL pull 2736: Qwen3-235B-A22B, one sequence of 196,608 tokens, causal: 204.4 PFLOP; ours
// 204.04.
TEST(Flops, AgreesWithNemoWithinTheRoundingOfItsFigure) {
  ModelSpec m;
  m.layers = 94;
  m.hidden = 4096;
  m.heads = 64;
  m.kv_heads = 4;
  m.head_dim = 128;
  m.intermediate = 1536;
  m.vocab = 151936;
  m.experts = 128;
  m.experts_per_token = 8;
  m.qk_norm = true;
  const double pflop = static_cast<double>(flops_per_token(m, 196608, "causal")) * 196608 * 1e-15;
  EXPECT_NEAR(pflop, 204.4, 0.002 * 204.4);
}

std::string parse_error(const std::string& text) {
  try {
    parse_model(text, "m.json");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(ModelSpec, WhatIsNotAModelIsRefused) {
  EXPECT_EQ(parse_error("[1]"), "m.json: not a JSON object; expected a Hugging Face config.json");
  EXPECT_EQ(parse_error("{"), "m.json: not a JSON object; expected a Hugging Face config.json");
  EXPECT_EQ(parse_error(R"({"a": 1})"),
            "m.json: model_type: missing key; supported: qwen3, llama, qwen3_moe, mixtral");
  EXPECT_EQ(
      parse_error(R"({"model_type": "bert"})"),
      "m.json: model_type: unsupported model type \"bert\"; supported: qwen3, llama, qwen3_moe, mixtral");
  EXPECT_EQ(parse_error(R"({"model_type": "llama"})"),
            "m.json: num_hidden_layers: missing key; is this a Hugging Face model config?");
  EXPECT_EQ(parse_error(R"({"model_type": "llama", "num_hidden_layers": -2})"),
            "m.json: num_hidden_layers: expected an integer > 0, found -2");
}

}  // namespace
}  // namespace trn
