#include "sim/cli/question_options.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/text.h"
#include "sim/cli/training_options.h"

namespace trn {

void QuestionOptions::add_to(CLI::App& command) {
  add_training_options(command, training_);
  collective_.sizes = "1GiB";
  command.add_option("--collective", collective_.op, "ask for a collective instead: its operation");
  command.add_option("--size", collective_.sizes, "of the collective")->capture_default_str();
  command.add_option("--ranks-per-chip", collective_.ranks_per_chip, "of the collective")
      ->capture_default_str();
  command.add_option("--algorithm", collective_.algorithm, "of the collective")->capture_default_str();
  command.add_option("--kernel", kernel_, "ask for a kernel instead: \"gemm m=4096 k=4096 n=4096\"");
}

int QuestionOptions::kinds() const {
  return (training_.model.empty() ? 0 : 1) + (collective_.op.empty() ? 0 : 1) + (kernel_.empty() ? 0 : 1);
}

Question QuestionOptions::question(const MachineChoice& machine) const {
  if (kinds() != 1) throw UsageError("expected one of --model, --collective and --kernel");
  if (!kernel_.empty()) {
    KernelQuestion q;
    q.machine = machine;
    parse_kernel_text(kernel_, q);
    return q;
  }
  if (!collective_.op.empty()) {
    CollectiveQuestion q = collective_;
    q.machine = machine;
    return q;
  }
  TrainingQuestion q = training_;
  q.machine = machine;
  return q;
}

void set_option_text(Question& question, const std::string& option, const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UsageError(option + ' ' + text + ": expected OPTION=VALUE");
  const std::string value = text.substr(equals + 1);
  const bool number =
      !value.empty() && value.size() < 15 && value.find_first_not_of("0123456789") == std::string::npos;
  set_option(question, text.substr(0, equals),
             number ? nlohmann::json(std::stoull(value)) : nlohmann::json(value), option);
}

void StudyOutput::add_to(CLI::App& command, const std::string& file) {
  command.add_flag("--json", json, "print JSON");
  command.add_option("-o,--output", folder, "folder for " + file + ", which trnsim report shows");
  command.add_option("--jobs", jobs, "simulations at a time; 0: as many as cores")->capture_default_str();
}

void StudyOutput::write(const std::string& file, const std::string& text,
                        const nlohmann::ordered_json& json_value) const {
  const std::string dump = json_value.dump(2) + '\n';
  if (!folder.empty()) {
    std::error_code ignored;
    std::filesystem::create_directories(folder, ignored);
    write_file_atomically(folder + '/' + file, dump);
  }
  fmt::print("{}", json ? dump : text);
}

}  // namespace trn
