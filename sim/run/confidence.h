// How sure an answer is: what the time of each part of it rests on.
#pragma once

#include <string>
#include <vector>

#include "base/config/config_document.h"
#include "sim/run/training.h"

namespace trn {

struct ConfidenceShare {
  std::string confidence;         // official ... assumed, what-if
  Picoseconds time;               // of the ledger rows whose least sure figure is that
  std::vector<std::string> keys;  // all figures of the machine that are; those of other shapes left out
};

// One entry a level of confidence that occurs, from sure to unsure. The times sum to the step.
std::vector<ConfidenceShare> confidence_shares(const TrainingResult& result, const ConfigDocument& document);

}  // namespace trn
