// A training answer's own interval: what it would be with every unannounced figure at its one end or other.
#pragma once

#include "sim/study/training_question.h"

namespace trn {

// Two more runs of the question's plan, in processes of their own. Nothing if the machine has no ranges that
// the answer can rest on.
std::optional<TokensInterval> training_interval(const TrainingQuestion& question, const Machine& machine);

}  // namespace trn
