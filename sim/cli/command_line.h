// How this process was called, for results that say how they were made.
#pragma once

#include <string>
#include <vector>

namespace trn {

// "trnsim train --set 'key=4x y'": as a shell would take it; the program by its name alone.
std::string command_line();

std::string shell_line(const std::vector<std::string>& words);

}  // namespace trn
