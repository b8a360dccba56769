#include "sim/study/sweep/collect.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"
#include "sim/study/sweep/point_store.h"
#include "sim/study/sweep/stored_json.h"

namespace trn {
namespace {

using nlohmann::ordered_json;

const char* state_of(const std::optional<Reply>& reply) {
  return !reply ? "missing" : reply->ok() ? "done" : "failed";
}

ordered_json coordinates(const Plan& plan, const std::vector<std::string>& labels) {
  ordered_json json = ordered_json::object();
  for (std::size_t a = 0; a < labels.size(); ++a) json[plan.axes[a].name] = labels[a];
  return json;
}

ordered_json point_json(const StudyResults& r, std::size_t i) {
  const PlanPoint& point = r.plan.points[i];
  ordered_json json{{"index", i},
                    {"hash", point.hash},
                    {"coordinates", coordinates(r.plan, point.coordinates)},
                    {"state", state_of(r.replies[i])}};
  if (!r.replies[i]) return json;
  if (!r.replies[i]->ok()) {
    json["reason"] = r.replies[i]->error;
    return json;
  }
  const ordered_json answer = answer_json(r.replies[i]->answer);
  for (const char* key : {"metrics", "parts_ps", "limiter"}) json[key] = answer.at(key);
  return json;
}

std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\n\r") == std::string::npos) return field;
  std::string out = "\"";
  for (const char c : field) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + '"';
}

}  // namespace

StudyResults collect(const Plan& plan, const std::string& folder) {
  const PointStore store(folder);
  StudyResults r{plan, {}, 0, 0, 0, {}};
  std::set<std::string> present;
  for (const PlanPoint& point : plan.points) {
    r.replies.push_back(store.get(point));
    const std::optional<Reply>& reply = r.replies.back();
    ++(!reply ? r.missing : reply->ok() ? r.done : r.failed);
    if (reply && reply->ok())
      for (const Metric& metric : reply->answer.metrics) present.insert(metric.name);
  }
  for (const MetricInfo& info : metric_table())
    if (present.count(info.name) > 0) r.metrics_.emplace_back(info.name);
  return r;
}

std::string study_json(const StudyResults& r, const std::string& command) {
  ordered_json json = stored_header("study", r.plan.build);
  json["name"] = r.plan.name;
  json["command"] = command;
  json["axes"] = ordered_json::array();
  for (const PlanAxis& axis : r.plan.axes)
    json["axes"].push_back({{"name", axis.name}, {"values", axis.labels}});
  json["points"] = ordered_json::array();
  for (std::size_t i = 0; i < r.plan.points.size(); ++i) json["points"].push_back(point_json(r, i));
  json["impossible"] = ordered_json::array();
  for (const ImpossiblePoint& point : r.plan.impossible)
    json["impossible"].push_back(
        {{"coordinates", coordinates(r.plan, point.coordinates)}, {"reason", point.reason}});
  return json.dump(1) + '\n';
}

std::string study_csv(const StudyResults& r) {
  std::string out = "index,hash,state,reason,limiter";
  for (const PlanAxis& axis : r.plan.axes) out += ',' + quoted(axis.name);
  for (const std::string& metric : r.metrics()) out += ',' + metric;
  out += '\n';
  for (std::size_t i = 0; i < r.plan.points.size(); ++i) {
    const std::optional<Reply>& reply = r.replies[i];
    const bool done = reply && reply->ok();
    out += fmt::format("{},{},{},{},{}", i, r.plan.points[i].hash, state_of(reply),
                       quoted(reply && !done ? reply->error : ""), quoted(done ? reply->answer.limiter : ""));
    for (const std::string& label : r.plan.points[i].coordinates) out += ',' + quoted(label);
    for (const std::string& name : r.metrics()) {
      out += ',';
      if (!done) continue;
      for (const Metric& metric : reply->answer.metrics)
        if (metric.name == name) out += fmt::format("{}", metric.value);
    }
    out += '\n';
  }
  return out;
}

void write_results(const StudyResults& results, const std::string& folder, const std::string& command) {
  write_study_database(results, folder + "/study.sqlite");
  write_file_atomically(folder + "/study.csv", study_csv(results));
  write_file_atomically(folder + "/study.json", study_json(results, command));
}

std::vector<DeadAxis> dead_axes(const StudyResults& r) {
  std::vector<DeadAxis> dead;
  for (std::size_t a = 0; a < r.plan.axes.size(); ++a) {
    if (r.plan.axes[a].labels.size() < 2) continue;
    // The points that differ in this axis only.
    std::map<std::vector<std::string>, std::pair<double, double>> range;
    std::map<std::string, std::size_t> limiters;
    bool compared = false;
    for (std::size_t i = 0; i < r.plan.points.size(); ++i) {
      if (!r.replies[i] || !r.replies[i]->ok()) continue;
      std::vector<std::string> others = r.plan.points[i].coordinates;
      others[a].clear();
      const double value = r.replies[i]->answer.headline().value;
      const auto [at, fresh] = range.try_emplace(others, value, value);
      at->second = {std::min(at->second.first, value), std::max(at->second.second, value)};
      compared = compared || !fresh;
      ++limiters[r.replies[i]->answer.limiter];
    }
    const bool changed = std::any_of(range.begin(), range.end(), [](const auto& row) {
      return row.second.second > row.second.first * 1.0001;
    });
    if (!compared || changed) continue;
    const auto most = std::max_element(limiters.begin(), limiters.end(),
                                       [](const auto& x, const auto& y) { return x.second < y.second; });
    dead.push_back({r.plan.axes[a].name, most->first});
  }
  return dead;
}

}  // namespace trn
