// The ISA as a page, generated from the tables.
#pragma once

#include <string>

namespace trn {

// docs/isa.md, byte for byte.
std::string isa_reference();

}  // namespace trn
