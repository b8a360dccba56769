// The options of `trnsim collective`.
#pragma once

#include "sim/cli/machine_option.h"
#include "sim/cli/recording_option.h"
#include "sim/study/collective_question.h"

namespace trn {

struct CollectiveArguments {
  CollectiveQuestion question;
  MachineOption machine;
  RecordingOption recording;
  bool json = false;
  std::string output;

  void add_to(CLI::App& command);
};

}  // namespace trn
