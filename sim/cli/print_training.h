// TrainingResult for people and for programs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/run/training.h"

namespace trn {

// `brief`: the headline only.
std::string training_text(const TrainingResult& result, const ConfigDocument& document, bool brief);
nlohmann::ordered_json training_json(const TrainingResult& result, const ConfigDocument& document);

}  // namespace trn
