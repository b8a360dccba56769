// JobResult for people and for programs.
#pragma once

#include <string>

#include "isa/job.h"
#include "sim/run/simulation.h"

namespace trn {

std::string job_text(const Job& job, const JobResult& result);
std::string job_json(const Job& job, const JobResult& result);

}  // namespace trn
