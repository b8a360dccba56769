// TrainingResult for people and for programs.
#pragma once

#include <string>

#include "sim/run/training.h"

namespace trn {

// `brief`: the headline only.
std::string training_text(const TrainingResult& result, const ConfigDocument& document, bool brief);
std::string training_json(const TrainingResult& result, const ConfigDocument& document);

}  // namespace trn
