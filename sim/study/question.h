// What is asked of a machine: a training step, a collective or a kernel. Studies, comparisons and searches
// ask many of them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>

#include "sim/study/collective_question.h"
#include "sim/study/kernel_question.h"
#include "sim/study/training_question.h"

namespace trn {

using Question = std::variant<TrainingQuestion, CollectiveQuestion, KernelQuestion>;

MachineChoice& machine_of(Question& question);
const MachineChoice& machine_of(const Question& question);

// {"train": {"machine": "trn2:instance", "model": ..., "layout": ..., ...}}, or "collective" or "kernel";
// the keys are the options' names without dashes, "set" an object of figures. ConfigError with the path on
// unknown keys and wrong types.
Question parse_question(const nlohmann::json& json, const std::string& where);
nlohmann::ordered_json question_json(const Question& question);
// Whether that holds all of it: groups, late ranks and the like are options of trnsim collective only.
bool has_json(const CollectiveQuestion& question);

// Sets one key as the file has it; keys that are knobs or dotted figures go to "set".
void set_option(Question& question, const std::string& key, const nlohmann::json& value,
                const std::string& where);

// All that the answer depends on, hashed: the question, the machine's figures, the model's, and the build.
std::string content_hash(const Question& question, const Machine& machine);

}  // namespace trn
