// `trnsim config new`: a machine of the user's, as a document that builds on another.
#pragma once

#include <string>
#include <vector>

namespace trn {

struct NewConfig {
  std::string name;
  std::string from;  // machine or file, with overlays; a shape is only for the line that says how to use it
  std::vector<std::string> sets;
  std::string output;  // "": NAME.json here
  bool force = false;
  bool unlinked = false;
};

// Writes the file when everything in it is sound; UserErrors else. Returns the line to print.
std::string write_new_config(const NewConfig& request);

}  // namespace trn
