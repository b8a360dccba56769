// Which of a machine's unannounced figures an answer can rest on.
#pragma once

#include <string>
#include <vector>

#include "base/config/config_document.h"

namespace trn {

// What an answer looks at, besides memory and DMA, which all do.
struct AnswerBasis {
  std::string shape;
  bool engines = false;  // of the core: kernels and training
  bool fabric = false;   // links and collectives
  bool domains = false;  // EFA
};

// Of the document's ranges, those whose figure is of a part that the answer looks at.
std::vector<ConfigRange> ranges_of_answer(const ConfigDocument& document, const AnswerBasis& basis);

std::vector<ConfigRange> ranges_of_training(const ConfigDocument& document, const std::string& shape);

// The machine with all those figures at one end; ranges that are no part of an interval stay.
enum class RangeEnd { kPessimistic, kOptimistic };
ConfigDocument at_end(const ConfigDocument& document, const std::vector<ConfigRange>& ranges, RangeEnd end);

}  // namespace trn
