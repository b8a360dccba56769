// The options of `trnsim collective`.
#pragma once

#include "sim/cli/machine_option.h"
#include "sim/study/collective_question.h"

namespace trn {

struct CollectiveArguments {
  CollectiveQuestion question;
  MachineOption machine;
  bool json = false;
  std::string output;

  void add_to(CLI::App& command);
};

}  // namespace trn
