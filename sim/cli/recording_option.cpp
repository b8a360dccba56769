#include "sim/cli/recording_option.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/sizes.h"
#include "base/text.h"

namespace trn {
namespace {

TimelineLevel parse_level(const std::string& text) {
  for (std::size_t level = 0; level < kTimelineLevels.size(); ++level)
    if (text == kTimelineLevels[level]) return static_cast<TimelineLevel>(level);
  throw UsageError("--timeline-level " + text + ": expected op, instruction or packet");
}

std::vector<EventSink*> sinks(Timeline* timeline, Tables* tables) {
  std::vector<EventSink*> all;
  if (timeline != nullptr) all.push_back(timeline);
  if (tables != nullptr) all.push_back(tables);
  return all;
}

}  // namespace

Recording::Recording(std::unique_ptr<Timeline> timeline, std::unique_ptr<Tables> tables,
                     std::optional<std::vector<std::uint64_t>> ranks)
    : timeline_(std::move(timeline)),
      tables_(std::move(tables)),
      recorder_(sinks(timeline_.get(), tables_.get()), std::move(ranks)) {}

std::string Recording::finish() {
  std::string written;
  if (timeline_ != nullptr) {
    timeline_->commit();
    written += fmt::format("  timeline: {} slices, {:.2f} MB, for https://ui.perfetto.dev\n",
                           with_commas(timeline_->slices()), static_cast<double>(timeline_->bytes()) * 1e-6);
  }
  if (tables_ != nullptr) {
    tables_->commit();
    written += fmt::format("  tables: {} rows in {}\n", with_commas(tables_->rows()), tables_->path());
  }
  return written;
}

void RecordingOption::add_to(CLI::App& command) {
  command.add_option("--timeline", timeline,
                     "write a timeline of the run, FILE.pftrace, for ui.perfetto.dev");
  command.add_option("--timeline-window", window,
                     "only this part of the run, FROM:TO with units, e.g. 0us:200us");
  command.add_option("--timeline-ranks", ranks,
                     "only these ranks, e.g. 0,3 or 0-7; where every rank is simulated");
  command
      .add_option("--timeline-level", level,
                  "op: regions and collectives; instruction: also instructions and transfers; "
                  "packet: also the packets of transfers (with --hbm channel)")
      ->capture_default_str();
  command.add_option("--timeline-limit", limit, "refuse larger files")->capture_default_str();
  command.add_option("--tables", tables,
                     "sqlite or csv: also write the run as tables named like Neuron Explorer's, into -o; "
                     "window, ranks and limit hold for them too (docs/tables.md)");
}

void RecordingOption::add_folder_to(CLI::App& command) {
  command.add_option("-o,--output", folder, "folder for --tables");
}

std::unique_ptr<Timeline> RecordingOption::start_timeline(const TimeWindow& part) const {
  if (timeline.empty()) return nullptr;
  TimelineOptions options;
  options.path = timeline;
  options.level = parse_level(level);
  options.limit_bytes = parse_size("--timeline-limit", limit);
  options.window = part;
  return std::make_unique<Timeline>(options);
}

std::unique_ptr<Tables> RecordingOption::start_tables(const TimeWindow& part) const {
  if (tables.empty()) return nullptr;
  const auto format = std::find(kTableFormats.begin(), kTableFormats.end(), tables);
  if (format == kTableFormats.end()) throw UsageError("--tables " + tables + ": expected sqlite or csv");
  if (folder.empty()) throw UsageError("--tables " + tables + ": give the folder for them with -o DIR");
  TableOptions options;
  options.format = static_cast<TableFormat>(format - kTableFormats.begin());
  options.folder = folder;
  options.window = part;
  options.limit_bytes = parse_size("--timeline-limit", limit);
  return std::make_unique<Tables>(options);
}

std::unique_ptr<Recording> RecordingOption::start() const {
  if (!asked()) {
    if (!window.empty() || !ranks.empty())
      throw UsageError("--timeline-window and --timeline-ranks are of a --timeline FILE.pftrace or --tables");
    return nullptr;
  }
  TimeWindow part;
  if (!window.empty()) part = parse_time_window("--timeline-window", window);
  std::optional<std::vector<std::uint64_t>> only;
  if (!ranks.empty()) only = parse_rank_list("--timeline-ranks", ranks);
  return std::make_unique<Recording>(start_timeline(part), start_tables(part), std::move(only));
}

}  // namespace trn
