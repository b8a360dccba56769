// trnsim collective
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/build_info.h"
#include "base/error.h"
#include "base/text.h"
#include "sim/cli/cli.h"
#include "sim/cli/collective_arguments.h"
#include "sim/cli/command_line.h"
#include "sim/report/range_report.h"
#include "sim/run/collective_simulation.h"
#include "sim/run/unannounced.h"
#include "sim/study/stored_result.h"

namespace trn {
namespace {

constexpr double kGib = 1073741824.0;

struct Row {
  std::uint64_t size;
  CollectiveResult result;
  double microseconds;  // with the straggler
};

void print_header(const CollectiveQuestion& a, const CollectiveSetting& s) {
  fmt::print("# {} on {}:{}, {}; GB = 1e9 B; size as nccom-test counts it\n", a.op, s.machine.name,
             s.machine.shape, s.who);
  fmt::print("{:>12} {:>12} {:>5}  {:<14} {:>12} {:>11} {:>11} {:>12} {:>8}  {:<16} {}\n", "size(B)",
             "count(elems)", "type", "algorithm", "time(us)", "algbw(GB/s)", "busbw(GB/s)", "bound(us)",
             "ratio", "bound by", "binding");
}

void print_row(const CollectiveQuestion& a, const CollectiveSetting& s, const Row& row) {
  const double algbw = static_cast<double>(row.size) / row.microseconds * 1e-3;
  const double bound = row.result.bound.picoseconds * 1e-6;
  fmt::print("{:>12} {:>12} {:>5}  {:<14} {:>12.2f} {:>11.2f} {:>11.2f} {:>12.2f} {:>8.4f}  {:<16} {}\n",
             row.size, row.size / size_of(s.dtype), a.dtype, row.result.algorithm, row.microseconds, algbw,
             algbw * busbw_factor(s.job.task.op, s.job.group.ranks()), bound, row.microseconds / bound,
             row.result.bound.limited_by, row.result.binding);
}

// nccom-test's names and units (its GB are GiB), and what it does not have under "trnsim".
nlohmann::ordered_json json_row(const CollectiveQuestion& a, const CollectiveSetting& s, const Row& row) {
  const double algbw = static_cast<double>(row.size) / row.microseconds * 1e6 / kGib;
  const CollectiveResult& r = row.result;
  return {{"size(B)", row.size},
          {"count(elems)", row.size / size_of(s.dtype)},
          {"type", a.dtype},
          {"time(us)", row.microseconds},
          {"algbw(GB/s)", algbw},
          {"busbw(GB/s)", algbw * busbw_factor(s.job.task.op, s.job.group.ranks())},
          {"algorithm", r.algorithm},
          {"trnsim",
           {{"bound_us", r.bound.picoseconds * 1e-6},
            {"bound_by", r.bound.limited_by},
            {"binding", r.binding},
            {"binding_share", r.binding_share},
            {"one_chip_for_all", r.folded},
            {"moves", r.moves}}}};
}

nlohmann::ordered_json rows_json(const CollectiveQuestion& a, const CollectiveSetting& s,
                                 const std::vector<Row>& rows, const std::vector<ConfigRange>& ranges) {
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  double busbw = 0;
  for (const Row& row : rows) {
    results.push_back(json_row(a, s, row));
    busbw += results.back()["busbw(GB/s)"].get<double>() / static_cast<double>(rows.size());
  }
  return {{"operation", a.op},
          {"machine", s.machine.name + ':' + s.machine.shape},
          {"ranks", s.job.group.ranks()},
          {"results", results},
          {"avg_bus_bandwidth(GB/s)", busbw},
          {"unannounced", ranges_json(ranges)}};
}

// The same with what it was made from and how. One row can be compared with others.
void write_result(const std::string& folder, const nlohmann::ordered_json& rows,
                  const ConfigDocument& document, const std::optional<Answer>& answer,
                  const CollectiveQuestion& question) {
  nlohmann::ordered_json json{
      {"kind", "collective"}, {"schema", 1}, {"version", version()}, {"command", command_line()}};
  json.update(rows);
  if (answer) add_stored(json, question, *answer);
  json["config"] = document.json();
  std::filesystem::create_directories(folder);
  write_file_atomically(folder + "/result.json", json.dump(2) + '\n');
}

// Of one collective.
std::unique_ptr<Recording> start_recording(RecordingOption option, const CollectiveSetting& s,
                                           const std::string& folder) {
  if (option.asked() && (s.sizes.size() > 1 || s.algorithms().size() > 1))
    throw UsageError(
        "--timeline and --tables are of one run: give one size (--sizes 64MiB) and one algorithm");
  option.folder = folder;
  return option.start();
}

void run(const CollectiveArguments& arguments) {
  CollectiveQuestion a = arguments.question;
  a.machine = arguments.machine;
  const Machine machine = arguments.machine.resolve();
  CollectiveSetting s = collective_setting(a, machine.config);
  s.check_algorithm();
  const std::unique_ptr<Recording> recording = start_recording(arguments.recording, s, arguments.output);
  s.options.listener = listener_of(recording);
  std::vector<Row> rows;
  if (!arguments.json) print_header(a, s);
  std::string why_full;
  for (const std::uint64_t size : s.sizes) {
    s.set_size(size);
    for (const std::string& name : s.algorithms()) {
      s.job.algorithm = name;
      CollectiveResult result = run_collectives(s.all(), s.machine, s.options);
      why_full = result.why_full;
      const double us = to_us(result.time + straggler_time(a, s.job.group.ranks()));
      rows.push_back({size, std::move(result), us});
      if (!arguments.json) print_row(a, s, rows.back());
    }
  }
  const std::vector<ConfigRange> ranges =
      ranges_of_answer(machine.document, {s.machine.shape, false, true, a.domains > 1});
  const nlohmann::ordered_json json = rows_json(a, s, rows, ranges);
  std::optional<Answer> only;
  if (rows.size() == 1 && has_json(a)) only = answer(a, s, rows.front().result);
  if (!arguments.output.empty()) write_result(arguments.output, json, machine.document, only, a);
  const std::string written = recording != nullptr ? recording->finish() : "";
  if (arguments.json) {
    fmt::print("{}\n", json.dump(2));
    return;
  }
  fmt::print("{}", written);
  if (!why_full.empty()) fmt::print("# every chip simulated: {}\n", why_full);
  fmt::print("{}", range_lines(ranges));
}

}  // namespace

void add_collective(CLI::App& app) {
  auto arguments = std::make_shared<CollectiveArguments>();
  CLI::App* command = app.add_subcommand("collective", "Time a collective on a machine, beside its bound");
  command->footer(
      "Examples: trnsim collective all_reduce --machine trn2:instance --ranks-per-chip 4 --sizes "
      "1KiB:1GiB:x4 "
      "--algorithm all\n"
      "          trnsim collective all_gather --machine trn2:ultraserver --group 0-15 --group 16-31 --sizes "
      "64MiB\n"
      "          trnsim collective all_reduce --machine trn2:ultraserver --domains 7812 --sizes 1GiB\n"
      "          trnsim collective all_reduce --machine trn2:instance --group 0-7 --algorithm "
      "msccl:traces/samples/msccl/ring_allreduce_8npus.xml");
  arguments->add_to(*command);
  command->callback([arguments] { run(*arguments); });
}

}  // namespace trn
