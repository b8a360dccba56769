#include "sim/study/sweep/plan.h"

#include <filesystem>

#include "base/build_info.h"
#include "base/error.h"
#include "base/text.h"
#include "kernels/registry.h"
#include "sim/study/sweep/stored_json.h"

namespace trn {
namespace {

using nlohmann::ordered_json;

// Everything that refuses a question before simulated time starts.
void check_possible(const Question& question, const Machine& machine) {
  if (const auto* training = std::get_if<TrainingQuestion>(&question)) {
    const TrainingSetting s = training_setting(*training, machine.config);
    check_plan(s.plan, s.model, machine.config);
    const Footprint f = footprint(s.model, s.plan, machine.config);
    if (!f.fits())
      throw CapacityError("does not fit: " + std::to_string(f.total() >> 20) + " of " +
                          std::to_string(f.capacity >> 20) + " MiB a rank");
  } else if (const auto* collective = std::get_if<CollectiveQuestion>(&question)) {
    collective_setting(*collective, machine.config).check_algorithm();
  } else {
    const auto& kernel = std::get<KernelQuestion>(question);
    kernel_arguments(find_kernel(kernel.name), kernel.arguments);
  }
}

ordered_json coordinates_json(const std::vector<PlanAxis>& axes, const std::vector<std::string>& labels) {
  ordered_json json = ordered_json::object();
  for (std::size_t a = 0; a < axes.size(); ++a) json[axes[a].name] = labels[a];
  return json;
}

std::vector<std::string> read_coordinates(const std::vector<PlanAxis>& axes, const ordered_json& json) {
  std::vector<std::string> labels;
  for (const PlanAxis& axis : axes) labels.push_back(json.at(axis.name).get<std::string>());
  return labels;
}

std::string path_of(const std::string& folder) { return folder + "/plan.json"; }

}  // namespace

Plan make_plan(const Study& study) {
  Plan plan{study.name, build_id(), {}, {}, {}};
  for (const Axis& axis : study.axes) {
    plan.axes.push_back({axis.name, {}});
    for (const AxisValue& value : axis.values) plan.axes.back().labels.push_back(value.label);
  }
  for (std::uint64_t i = 0; i < study.points(); ++i) {
    const std::vector<std::size_t> at = coordinates_of(study, i);
    std::vector<std::string> labels;
    for (std::size_t a = 0; a < at.size(); ++a) labels.push_back(plan.axes[a].labels[at[a]]);
    Question question = question_at(study, at);
    try {
      const Machine machine = machine_of(question).resolve();
      check_possible(question, machine);
      std::string hash = content_hash(question, machine);
      plan.points.push_back({std::move(labels), std::move(hash), std::move(question)});
    } catch (const UserError& error) {
      plan.impossible.push_back({std::move(labels), error.what()});
    }
  }
  return plan;
}

void write_plan(const Plan& plan, const std::string& folder) {
  ordered_json json = stored_header("plan", plan.build);
  json["name"] = plan.name;
  for (const PlanAxis& axis : plan.axes)
    json["axes"].push_back({{"name", axis.name}, {"values", axis.labels}});
  json["points"] = ordered_json::array();
  for (const PlanPoint& point : plan.points)
    json["points"].push_back({{"coordinates", coordinates_json(plan.axes, point.coordinates)},
                              {"hash", point.hash},
                              {"question", question_json(point.question)}});
  json["impossible"] = ordered_json::array();
  for (const ImpossiblePoint& point : plan.impossible)
    json["impossible"].push_back(
        {{"coordinates", coordinates_json(plan.axes, point.coordinates)}, {"reason", point.reason}});
  std::error_code ignored;
  std::filesystem::create_directories(folder, ignored);
  write_file_atomically(path_of(folder), json.dump(1) + '\n');
}

Plan read_plan(const std::string& folder) {
  const std::string path = path_of(folder);
  if (!std::filesystem::exists(path))
    throw ConfigError(folder + ": no plan.json here; trnsim sweep plan STUDY.json -o " + folder +
                      " makes it");
  const ordered_json json = read_stored(path, "plan", "plan the study again");
  try {
    Plan plan{json.at("name").get<std::string>(), build_of(json), {}, {}, {}};
    for (const ordered_json& axis : json.value("axes", ordered_json::array()))
      plan.axes.push_back(
          {axis.at("name").get<std::string>(), axis.at("values").get<std::vector<std::string>>()});
    for (const ordered_json& point : json.at("points"))
      plan.points.push_back({read_coordinates(plan.axes, point.at("coordinates")),
                             point.at("hash").get<std::string>(),
                             parse_question(nlohmann::json(point.at("question")), path)});
    for (const ordered_json& point : json.at("impossible"))
      plan.impossible.push_back(
          {read_coordinates(plan.axes, point.at("coordinates")), point.at("reason").get<std::string>()});
    return plan;
  } catch (const nlohmann::json::exception&) {
    throw ConfigError(path + ": damaged; plan the study again");
  }
}

void require_own_build(const Plan& plan, const std::string& folder) {
  if (plan.build == build_id()) return;
  throw ConfigError(folder + "/plan.json: made by build " + plan.build + " of trnsim, this is build " +
                    build_id() + "; plan the study again (what is not of this build is computed anew)");
}

}  // namespace trn
