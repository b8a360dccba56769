// The options of commands that ask any kind of question: a training step, a collective or a kernel.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "sim/cli/command_line.h"
#include "sim/study/question.h"

namespace trn {

class QuestionOptions {
 public:
  void add_to(CLI::App& command);
  bool asked() const { return kinds() > 0; }
  // On this machine. UsageError unless exactly one kind is asked for.
  Question question(const MachineChoice& machine) const;

 private:
  int kinds() const;

  TrainingQuestion training_;
  CollectiveQuestion collective_;
  std::string kernel_;
};

// "gemms=fp8" or "hbm_bandwidth=2x": an option or a figure of a question. UsageError.
void set_option_text(Question& question, const std::string& option, const std::string& text);

// -o DIR and --json, as all commands of this kind have them: NAME.json goes to the folder.
struct StudyOutput {
  std::string folder;
  bool json = false;
  std::size_t jobs = 0;

  void add_to(CLI::App& command, const std::string& file);
  // Prints `text`, or the JSON, and writes the file where asked.
  void write(const std::string& file, const std::string& text,
             const nlohmann::ordered_json& json_value) const;
};

}  // namespace trn
