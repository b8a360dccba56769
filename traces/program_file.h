// Programs and jobs as files: .tasm text, binary traces, and job descriptions in JSON.
#pragma once

#include <string>

#include "isa/job.h"

namespace trn {

// A binary trace or .tasm text, told apart by the first bytes.
Program load_program(const std::string& path);

// "tp=4,fsdp=16": the first axis varies fastest with the rank. ProgramError beginning with `where`.
std::vector<MeshAxis> parse_mesh(const std::string& text, const std::string& where);

// A job description:
//   {"mesh": "tp=4,fsdp=16",                                   axis=size, fastest first
//    "programs": {"worker.tasm": "0-62", "last.tasm": "63"},   file beside this one -> ranks, or "all"
//    "seats": "0,2,1,3"}                                       optional: by rank, chip * ranks a chip + place
// Any other file is a program: one rank, or every rank of `mesh`, which a description must then not be given.
Job load_job(const std::string& path, const std::string& mesh = "");

}  // namespace trn
