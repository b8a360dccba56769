// A result file as a side of a comparison: what was asked, what came out, and the figures it was run with.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sim/study/answer.h"

namespace trn {

struct StoredResult {
  Question question;
  Answer answer;
  std::string build;  // of the trnsim that ran it

  // Its figures as they were; not those of today's configs.
  Machine machine;
};

// What load_result reads, for a result file to carry.
void add_stored(nlohmann::ordered_json& result, const Question& question, const Answer& answer);

// Whether a side of a comparison is a file of results, or a folder with one, and not a machine.
bool is_result(const std::string& text);

// ConfigError if it is damaged, of another schema, or of several runs.
StoredResult load_result(const std::string& path);

}  // namespace trn
