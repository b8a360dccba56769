// MSCCL XML text as an MscclProgram.
#pragma once

#include <string>

#include "models/interconnect/collectives/msccl/msccl_program.h"

namespace trn {

// `name` labels messages. Every number is in its range and every gpu, thread block and step is there once;
// whether they fit each other is for check_msccl(). Attributes that do not change what moves (protocol, sizes
// for which the author recommends it) are not read. ProgramError "name: gpu 3 tb 0 step 5: ...".
MscclProgram read_msccl(const std::string& text, const std::string& name);

}  // namespace trn
