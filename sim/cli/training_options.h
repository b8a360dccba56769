// The options that say which training step is asked for; --machine is apart.
#pragma once

#include <CLI/CLI.hpp>

#include "sim/study/training_question.h"

namespace trn {

void add_training_options(CLI::App& command, TrainingQuestion& question);

}  // namespace trn
