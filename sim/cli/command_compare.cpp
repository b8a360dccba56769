// trnsim compare
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "sim/cli/cli.h"
#include "sim/cli/print_comparison.h"
#include "sim/cli/question_options.h"
#include "sim/study/search.h"

namespace trn {
namespace {

struct CompareArguments {
  std::string a, b;
  QuestionOptions question;
  std::vector<std::string> sets, options_a, options_b;
  bool best = false;
  StudyOutput output;
};

Contender contender(const CompareArguments& arguments, const std::string& machine,
                    const std::vector<std::string>& options, const std::string& option_name) {
  Contender c{machine, arguments.question.question({machine, arguments.sets})};
  for (const std::string& option : options) {
    set_option_text(c.question, option_name, option);
    c.label += ' ' + option;
  }
  return c;
}

// Its best layout instead of the one that was asked for.
void use_best_layout(Contender& c, std::size_t jobs) {
  auto* training = std::get_if<TrainingQuestion>(&c.question);
  if (training == nullptr) throw UsageError("--best-vs-best: only training has layouts");
  *training = search_layouts(*training, jobs).rows.front().question;
  c.label += ' ' + training->layout;
}

void run(const CompareArguments& arguments) {
  Contender a = contender(arguments, arguments.a, arguments.options_a, "--a");
  Contender b = contender(arguments, arguments.b, arguments.options_b, "--b");
  if (arguments.best) {
    use_best_layout(a, arguments.output.jobs);
    use_best_layout(b, arguments.output.jobs);
  }
  const Comparison comparison = compare(a, b, arguments.output.jobs);
  arguments.output.write("comparison.json", comparison_text(comparison),
                         comparison_json(comparison, command_line()));
}

}  // namespace

void add_compare(CLI::App& app) {
  auto a = std::make_shared<CompareArguments>();
  CLI::App* command = app.add_subcommand("compare", "Two machines, and why one is faster");
  command->footer(
      "Examples: trnsim compare trn2:ultraserver trn3:gen1 --model Qwen3-32B --layout tp=4 --global-batch 64 "
      "--recompute selective\n"
      "          trnsim compare trn2:instance trn2:instance --b links=2x --collective all_reduce --size "
      "1GiB");
  command->add_option("first", a->a, "machine, as --machine takes it")->required();
  command->add_option("second", a->b, "machine")->required();
  a->question.add_to(*command);
  command->add_option("--set", a->sets, "override a figure of both machines")->allow_extra_args(false);
  command
      ->add_option("--a", a->options_a, "option or figure of the first only, e.g. lowering=fused, links=2x")
      ->allow_extra_args(false);
  command->add_option("--b", a->options_b, "option or figure of the second only")->allow_extra_args(false);
  command->add_flag("--best-vs-best", a->best, "each with its best layout, searched for");
  a->output.add_to(*command, "comparison.json");
  command->callback([a] { run(*a); });
}

}  // namespace trn
