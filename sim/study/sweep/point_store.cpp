#include "sim/study/sweep/point_store.h"

#include <filesystem>

#include "base/build_info.h"
#include "base/error.h"
#include "base/text.h"
#include "sim/study/sweep/stored_json.h"

namespace trn {
namespace {

constexpr const char* kWayOut = "trnsim sweep submit computes this point again";

nlohmann::ordered_json read_point(const std::string& path, const PlanPoint& point) {
  nlohmann::ordered_json json = read_stored(path, "point", kWayOut);
  if (json.value("hash", "") != point.hash)
    throw ConfigError(path + ": holds another point than its name says; " + kWayOut);
  return json;
}

}  // namespace

PointStore::PointStore(const std::string& folder) : folder_(folder) {
  for (const char* part : {"/results", "/failed"}) {
    std::error_code error;
    std::filesystem::create_directories(folder_ + part, error);
    if (error) throw UsageError(folder_ + part + ": cannot make this folder: " + error.message());
  }
}

std::string PointStore::path(const std::string& kind, const PlanPoint& point) const {
  return folder_ + '/' + kind + '/' + point.hash + ".json";
}

bool PointStore::has(const PlanPoint& point) const {
  try {
    const std::string file = path("results", point);
    if (!std::filesystem::exists(file)) return false;
    parse_answer(read_point(file, point).at("answer"), file);
    return true;
  } catch (const std::exception&) {
    return false;  // damaged: computed again
  }
}

void PointStore::put(const PlanPoint& point, const Reply& reply) const {
  nlohmann::ordered_json json = stored_header("point", build_id());
  json["hash"] = point.hash;
  json["question"] = question_json(point.question);
  if (!reply.ok()) {
    json["exit_code"] = reply.exit_code;
    json["error"] = reply.error;
    write_file_atomically(path("failed", point), json.dump(1) + '\n');
    return;
  }
  json["answer"] = answer_json(reply.answer);
  write_file_atomically(path("results", point), json.dump(1) + '\n');
  std::error_code ignored;
  std::filesystem::remove(path("failed", point), ignored);
}

std::optional<Reply> PointStore::get(const PlanPoint& point) const {
  const std::string result = path("results", point), failed = path("failed", point);
  Reply reply;
  try {
    if (std::filesystem::exists(result)) {
      reply.answer = parse_answer(read_point(result, point).at("answer"), result);
      return reply;
    }
    if (!std::filesystem::exists(failed)) return std::nullopt;
    const nlohmann::ordered_json json = read_point(failed, point);
    reply.exit_code = json.at("exit_code").get<int>();
    reply.error = json.at("error").get<std::string>();
    return reply;
  } catch (const nlohmann::json::exception&) {
    throw ConfigError((std::filesystem::exists(result) ? result : failed) + ": damaged; " + kWayOut);
  }
}

}  // namespace trn
