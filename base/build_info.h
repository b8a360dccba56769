// Which trnsim this is.
#pragma once

#include <string>

namespace trn {

std::string version();  // 0.1.0

// The linker's hash of this program: another build has another one. Results of two builds are never mixed.
std::string build_id();

}  // namespace trn
