// trnsim sweep plan|worker|collect|submit
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "base/error.h"
#include "base/text.h"
#include "sim/cli/cli.h"
#include "sim/study/sweep/collect.h"
#include "sim/study/sweep/engines.h"
#include "sim/study/sweep/point_store.h"
#include "sim/study/sweep/worker.h"

namespace trn {
namespace {

struct SweepArguments {
  std::string study;
  std::string folder;
  std::string shard;
  std::size_t shards = 1;
  std::size_t jobs = 0;
  std::string engine = "local";
  std::string sort;
  std::size_t top = 10;
  Submission submission;
};

// Reasons, each with how many points have it, most first; the numbers in them are their own.
void print_reasons(const std::vector<ImpossiblePoint>& points) {
  std::map<std::string, std::size_t> counts;
  for (const ImpossiblePoint& point : points) ++counts[point.reason];
  std::vector<std::pair<std::string, std::size_t>> rows(counts.begin(), counts.end());
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr std::size_t kShown = 12;
  for (std::size_t i = 0; i < rows.size() && i < kShown; ++i)
    fmt::print("  {:>6}  {}\n", rows[i].second, rows[i].first);
  if (rows.size() > kShown) fmt::print("          and {} more reasons, in plan.json\n", rows.size() - kShown);
}

void plan_study(const SweepArguments& a) {
  const Plan plan = make_plan(parse_study(read_text_file(a.study), a.study));
  write_plan(plan, a.folder);
  const PointStore store(a.folder);
  const auto there = static_cast<std::size_t>(std::count_if(
      plan.points.begin(), plan.points.end(), [&](const PlanPoint& point) { return store.has(point); }));
  fmt::print("{}: {} points, {} of them computed already; {} impossible{}\n", plan.name,
             with_commas(plan.points.size()), with_commas(there), with_commas(plan.impossible.size()),
             plan.impossible.empty() ? "" : ":");
  print_reasons(plan.impossible);
  fmt::print("next: trnsim sweep submit {}\n", a.folder);
}

void print_summary(const WorkSummary& s) {
  fmt::print("{} points computed, {} failed, {} were there\n", with_commas(s.computed), with_commas(s.failed),
             with_commas(s.there));
}

// The points' own error ends the command, after everything else is done.
void throw_first_error(const WorkSummary& s) {
  if (s.failed == 0) return;
  const std::string what = fmt::format("{} point(s) failed, the first: {}", s.failed, s.first_error);
  if (s.exit_code >= 128 || s.exit_code == static_cast<int>(ExitCode::kInternal)) throw InternalError(what);
  throw UserError(static_cast<ExitCode>(s.exit_code), what);
}

void work(const SweepArguments& a) {
  const Plan plan = read_plan(a.folder);
  require_own_build(plan, a.folder);
  const WorkSummary summary = work_on(plan, a.folder, parse_shard(a.shard, a.shards), a.jobs);
  print_summary(summary);
  throw_first_error(summary);
}

void print_top(const StudyResults& r, const std::string& sort, std::size_t top) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < r.replies.size(); ++i)
    if (r.replies[i] && r.replies[i]->ok()) order.push_back(i);
  if (order.empty() || top == 0) return;
  const std::string metric = sort.empty() ? r.replies[order[0]]->answer.headline().name : sort;
  const MetricInfo& info = metric_info(metric);
  const auto value = [&](std::size_t i) { return r.replies[i]->answer.metric(metric); };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) {
    return info.more_is_better ? value(i) > value(j) : value(i) < value(j);
  });
  fmt::print("{:>6} {:>16}  {:<44} {}\n", "point", metric, "what binds", "where");
  for (std::size_t k = 0; k < order.size() && k < top; ++k) {
    const std::size_t i = order[k];
    std::string where;
    for (std::size_t axis = 0; axis < r.plan.axes.size(); ++axis)
      where += (axis == 0 ? "" : ", ") + r.plan.axes[axis].name + '=' + r.plan.points[i].coordinates[axis];
    fmt::print("{:>6} {:>16.6g}  {:<44} {}\n", i, value(i), r.replies[i]->answer.limiter, where);
  }
}

void collect_results(const SweepArguments& a) {
  const StudyResults r = collect(read_plan(a.folder), a.folder);
  write_results(r, a.folder, "trnsim sweep collect " + a.folder);
  fmt::print("{}: {} done, {} failed, {} missing, {} impossible; in {}/study.sqlite, .csv, .json\n",
             r.plan.name, with_commas(r.done), with_commas(r.failed), with_commas(r.missing),
             with_commas(r.plan.impossible.size()), a.folder);
  for (std::size_t i = 0; i < r.replies.size(); ++i)
    if (r.replies[i] && !r.replies[i]->ok()) fmt::print("  point {} failed: {}\n", i, r.replies[i]->error);
  if (r.missing > 0) fmt::print("  trnsim sweep submit {} computes what is missing\n", a.folder);
  for (const DeadAxis& dead : dead_axes(r))
    fmt::print("  axis {} changed nothing; what binds: {}\n", dead.name, dead.limiter);
  print_top(r, a.sort, a.top);
}

void submit(SweepArguments a) {
  const Plan plan = read_plan(a.folder);
  require_own_build(plan, a.folder);
  a.submission.folder = a.folder;
  a.submission.shards =
      std::min<std::size_t>(std::max<std::size_t>(1, a.shards), std::max<std::size_t>(1, plan.points.size()));
  a.submission.jobs = a.jobs;
  if (a.engine == "slurm") {
    fmt::print("{}\n", submit_to_slurm(a.submission));
    return;
  }
  if (a.engine == "parallel") return submit_to_parallel(a.submission);
  const WorkSummary summary = work_on(plan, a.folder, {}, a.jobs);
  print_summary(summary);
  throw_first_error(summary);
}

}  // namespace

void add_sweep(CLI::App& app) {
  CLI::App* sweep = app.add_subcommand("sweep", "Many questions: planned, computed anywhere, collected");
  sweep->require_subcommand(1);
  sweep->footer(
      "Example: trnsim sweep plan studies/trn2-vs-trn3.json -o study && trnsim sweep submit study && trnsim "
      "sweep "
      "collect study\n"
      "Workers share nothing but the folder: any scheduler that runs N indexed commands on a shared file "
      "system "
      "will do.\n"
      "What is done is never computed again; submit again after anything was killed, or after a change of "
      "the "
      "study.");
  auto a = std::make_shared<SweepArguments>();
  CLI::App* plan = sweep->add_subcommand("plan", "list a study's points, and those that cannot run");
  plan->add_option("study", a->study, "study file (JSON): name, base, axes")->required();
  plan->add_option("-o,--output", a->folder, "folder of the study")->required();
  plan->callback([a] { plan_study(*a); });

  CLI::App* worker = sweep->add_subcommand("worker", "compute one shard of the points");
  worker->add_option("folder", a->folder, "folder of the study")->required();
  worker->add_option("--shard", a->shard, "INDEX/COUNT, the index from 0");
  worker
      ->add_option("--shards", a->shards,
                   "COUNT; the index is SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX or PARALLEL_SEQ")
      ->check(CLI::Range(1, static_cast<int>(kMaxPoints)));
  worker->add_option("--jobs", a->jobs, "points at a time; 0: as many as cores")->capture_default_str();
  worker->callback([a] { work(*a); });

  CLI::App* submit_command = sweep->add_subcommand("submit", "compute all points that are not there yet");
  submit_command->add_option("folder", a->folder, "folder of the study")->required();
  submit_command->add_option("--engine", a->engine, "local, slurm (a job array), parallel (GNU parallel)")
      ->check(CLI::IsMember({"local", "slurm", "parallel"}))
      ->capture_default_str();
  submit_command->add_option("--shards", a->shards, "workers of slurm and parallel")
      ->check(CLI::Range(1, static_cast<int>(kMaxPoints)))
      ->capture_default_str();
  submit_command->add_option("--jobs", a->jobs, "points at a time, of each worker; 0: as many as cores")
      ->capture_default_str();
  submit_command->add_option("--hosts", a->submission.hosts,
                             "of parallel: as its --sshlogin, e.g. :,node1,node2");
  submit_command->add_option("--engine-options", a->submission.options,
                             "more options of sbatch or parallel, in one text");
  submit_command->add_flag("--wait", a->submission.wait, "of slurm: until the array has ended");
  submit_command->callback([a] { submit(*a); });

  CLI::App* collector =
      sweep->add_subcommand("collect", "put the results together: SQLite, CSV, JSON, the best");
  collector->add_option("folder", a->folder, "folder of the study")->required();
  collector->add_option("--sort", a->sort, "metric; default: the headline");
  collector->add_option("--top", a->top, "rows printed")->capture_default_str();
  collector->callback([a] { collect_results(*a); });
}

}  // namespace trn
