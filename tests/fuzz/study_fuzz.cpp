// Any text: a study whose last point is a question, or one error; and the same of conditions and answers.
#include "base/error.h"
#include "sim/study/answer.h"
#include "sim/study/condition.h"
#include "sim/study/sweep/study.h"

extern "C" int sc_main(int, char**) { return 0; }  // libsystemc wants one

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trn;
  if (size > 4096) return 0;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const Study study = parse_study(text, "fuzz");
    if (study.points() > 0) question_json(question_at(study, coordinates_of(study, study.points() - 1)));
  } catch (const UserError&) {
  }
  try {
    parse_condition("--until", text);
  } catch (const UserError&) {
  }
  try {
    const auto json = nlohmann::ordered_json::parse(text, nullptr, false);
    if (!json.is_discarded()) answer_json(parse_answer(json, "fuzz"));
  } catch (const UserError&) {
  }
  return 0;
}
