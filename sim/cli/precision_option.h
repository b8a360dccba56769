// --precision, shared by the commands that run on data.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "isa/semantics/memory.h"

namespace trn {

void add_precision(CLI::App& command, std::string& precision);
Precision precision_named(const std::string& name);

}  // namespace trn
