// The machine's knobs by short names: what a subsystem has that more or less of could be built.
#pragma once

#include <string>
#include <vector>

#include "base/config/config_document.h"

namespace trn {

struct Knob {
  const char* name;               // also accepted by --set: links=2x
  const char* label;              // for people
  const char* subsystem;          // of kSubsystems (sim/study/subsystem.h)
  bool more_is_better;            // a rate or a size; else a latency or an overhead
  std::vector<std::string> keys;  // figures; "{shape}" and "{links}" are the shape's and its link preset's
                                  // name, a final "*" stands for every key of that beginning
};

const std::vector<Knob>& knobs();

// The figures of this document that the knob stands for; none if the machine does not have it.
std::vector<std::string> figures_of(const Knob& knob, const ConfigDocument& document,
                                    const std::string& shape);

// "links=2x" into one assignment a figure; anything else stays as it is. UsageError if the machine has no
// figure for the knob.
std::vector<std::string> expand_assignment(const std::string& assignment, const ConfigDocument& document,
                                           const std::string& shape);

// All of them.
std::vector<std::string> expand_all(const std::vector<std::string>& assignments,
                                    const ConfigDocument& document, const std::string& shape);

// "2x" turned the better way round: "2x" for a rate, "0.5x" for a latency.
std::string times_better(const Knob& knob, double factor);

}  // namespace trn
