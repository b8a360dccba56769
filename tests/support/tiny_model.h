// A two-layer model on one chip: steps of a fraction of a second.
#pragma once

#include <gtest/gtest.h>

#include <fstream>

#include "sim/study/training_question.h"

namespace trn {

inline TrainingQuestion tiny_training(const std::string& machine) {
  TrainingQuestion question;
  question.model = testing::TempDir() + "tiny.json";
  std::ofstream(question.model)
      << R"({"model_type": "qwen3", "num_hidden_layers": 2, "hidden_size": 512, "head_dim": 128,
      "num_attention_heads": 4, "num_key_value_heads": 4, "intermediate_size": 1024, "vocab_size": 2048})";
  question.machine.machine = machine;
  question.sequence = 512;
  question.tokens_per_step = 8 * 512;
  return question;
}

}  // namespace trn
