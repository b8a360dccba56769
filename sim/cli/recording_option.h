// --timeline and --tables, shared by every command that runs something.
#pragma once

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/tables/tables.h"
#include "sim/timeline/run_recorder.h"
#include "sim/timeline/timeline.h"

namespace trn {

// Listens to one run.
class Recording {
 public:
  // Either may be null. `ranks` as in RunRecorder.
  Recording(std::unique_ptr<Timeline> timeline, std::unique_ptr<Tables> tables,
            std::optional<std::vector<std::uint64_t>> ranks);

  RunListener* listener() { return &recorder_; }
  // After the run: the files appear. Says what was written, a line each.
  std::string finish();

 private:
  std::unique_ptr<Timeline> timeline_;
  std::unique_ptr<Tables> tables_;
  RunRecorder recorder_;
};

struct RecordingOption {
  std::string timeline;
  std::string window;
  std::string ranks;
  std::string level = "instruction";
  std::string limit = "300MB";
  std::string tables;
  std::string folder;

  void add_to(CLI::App& command);
  // -o, for commands that write nothing else there; others set `folder`.
  void add_folder_to(CLI::App& command);
  bool asked() const { return !timeline.empty() || !tables.empty(); }
  // Null if nothing is asked for. UsageErrors name the option.
  std::unique_ptr<Recording> start() const;

 private:
  std::unique_ptr<Timeline> start_timeline(const TimeWindow& part) const;
  std::unique_ptr<Tables> start_tables(const TimeWindow& part) const;
};

// What the run functions take.
inline RunListener* listener_of(const std::unique_ptr<Recording>& recording) {
  return recording == nullptr ? nullptr : recording->listener();
}

}  // namespace trn
