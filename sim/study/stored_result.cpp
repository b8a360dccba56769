#include "sim/study/stored_result.h"

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/build_info.h"
#include "base/error.h"
#include "base/text.h"

namespace trn {
namespace {

constexpr const char* kFile = "result.json";

std::string file_of(const std::string& path) {
  return std::filesystem::is_directory(path) ? path + '/' + kFile : path;
}

nlohmann::ordered_json parse(const std::string& path) {
  try {
    return nlohmann::ordered_json::parse(read_text_file(path));
  } catch (const nlohmann::json::exception&) {
    throw ConfigError(path + ": not JSON, or cut off; run what wrote it again");
  }
}

}  // namespace

void add_stored(nlohmann::ordered_json& result, const Question& question, const Answer& answer) {
  result["build"] = build_id();
  result["question"] = question_json(question);
  result["answer"] = answer_json(answer);
}

bool is_result(const std::string& text) {
  const std::string file = file_of(text);
  if (!std::filesystem::is_regular_file(file)) return false;
  if (file != text) return true;
  const nlohmann::ordered_json json = parse(file);
  return json.is_object() && json.contains("kind");  // a configuration has none
}

StoredResult load_result(const std::string& path) {
  const std::string file = file_of(path);
  const nlohmann::ordered_json json = parse(file);
  for (const char* key : {"schema", "question", "answer", "build", "config"})
    if (!json.is_object() || !json.contains(key))
      throw ConfigError(
          file + ": has no \"" + key +
          "\"; expected the result.json of one run of trnsim train, or of trnsim collective on all "
          "ranks, with one size, one algorithm and nothing beside it");
  if (json["schema"] != 1 || !json["build"].is_string())
    throw ConfigError(file + ": of another version of trnsim; run it again");
  const Question question = parse_question(nlohmann::json(json["question"]), file + ": question");
  return {question, parse_answer(json["answer"], file + ": answer"), json["build"].get<std::string>(),
          Machine(ConfigDocument::parse(json["config"].dump(), file), machine_of(question).shape())};
}

}  // namespace trn
