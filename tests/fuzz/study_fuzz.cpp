// Study files and stored answers.
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "sim/study/answer.h"
#include "sim/study/sweep/study.h"

int sc_main(int, char**) { return 0; }  // libsystemc asks for one

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const trn::Study study = trn::parse_study(text, "fuzz");
    if (study.points() > 0) trn::question_at(study, trn::coordinates_of(study, study.points() - 1));
  } catch (const trn::UserError&) {
  }
  try {
    const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
    if (!json.is_discarded()) trn::parse_answer(json, "fuzz");
  } catch (const trn::UserError&) {
  }
  return 0;
}
