#include "sim/study/ask.h"

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "sim/study/progress.h"

namespace trn {

std::vector<Reply> ask_all(const std::vector<std::function<Answer()>>& work, std::size_t jobs,
                           const std::string& what) {
  std::vector<Reply> replies(work.size());
  Progress progress(what, work.size());
  run_forked(
      work.size(), jobs, [&](std::size_t i) { return answer_json(work[i]()).dump(); },
      [&](std::size_t i, const WorkResult& result) {
        Reply& reply = replies[i];
        reply.exit_code = result.exit_code;
        if (result.ok())
          reply.answer = parse_answer(nlohmann::ordered_json::parse(result.text), what);
        else
          reply.error = result.text;
        progress.one_done(result.ok());
      });
  return replies;
}

const Answer& answer_of(const Reply& reply) {
  if (reply.ok()) return reply.answer;
  if (reply.exit_code >= 128 || reply.exit_code == static_cast<int>(ExitCode::kInternal))
    throw InternalError(reply.error);
  throw UserError(static_cast<ExitCode>(reply.exit_code), reply.error);
}

std::function<Answer()> work_of(const Question& question) {
  return [question] { return answer(question, machine_of(question).resolve()); };
}

}  // namespace trn
