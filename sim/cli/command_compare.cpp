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

Contender stored(const std::string& path) {
  const auto result = std::make_shared<const StoredResult>(load_result(path));
  return {path, result->question, result};
}

// On a machine, what the options ask, or else what the other side answered.
Contender asked(const CompareArguments& arguments, const std::string& machine, const Contender* other) {
  const MachineChoice choice{machine, arguments.sets};
  if (other == nullptr || arguments.question.asked()) return {machine, arguments.question.question(choice)};
  Contender c{machine, other->question};
  machine_of(c.question) = choice;
  return c;
}

void change(Contender& c, const std::string& option_name, const std::vector<std::string>& options) {
  if (c.stored && !options.empty())
    throw UsageError(option_name + ": " + c.label + " is a stored result; name a machine to ask it anew");
  for (const std::string& option : options) {
    set_option_text(c.question, option_name, option);
    c.label += ' ' + option;
  }
}

std::pair<Contender, Contender> contenders(const CompareArguments& arguments) {
  const bool stored_a = is_result(arguments.a), stored_b = is_result(arguments.b);
  if (stored_a && stored_b && (arguments.question.asked() || !arguments.sets.empty()))
    throw UsageError("compare: both sides are stored results; options and --set change nothing in them");
  if ((stored_a || stored_b) && arguments.best)
    throw UsageError("--best-vs-best: a stored result has the layout it has; name two machines");
  std::optional<Contender> a, b;
  if (stored_a) a = stored(arguments.a);
  if (stored_b) b = stored(arguments.b);
  if (!a) a = asked(arguments, arguments.a, b ? &*b : nullptr);
  if (!b) b = asked(arguments, arguments.b, stored_a ? &*a : nullptr);
  change(*a, "--a", arguments.options_a);
  change(*b, "--b", arguments.options_b);
  return {*a, *b};
}

// Its best layout instead of the one that was asked for.
void use_best_layout(Contender& c, std::size_t jobs) {
  auto* training = std::get_if<TrainingQuestion>(&c.question);
  if (training == nullptr) throw UsageError("--best-vs-best: only training has layouts");
  *training = search_layouts(*training, jobs).rows.front().question;
  c.label += ' ' + training->layout;
}

void run(const CompareArguments& arguments) {
  auto [a, b] = contenders(arguments);
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
  CLI::App* command = app.add_subcommand("compare", "Two machines or stored results, and why one is faster");
  command->footer(
      "Examples: trnsim compare trn2:ultraserver trn3:gen1 --model Qwen3-32B --layout tp=4 --global-batch 64 "
      "--recompute selective\n"
      "          trnsim compare trn2:instance trn2:instance --b links=2x --collective all_reduce --size "
      "1GiB\n"
      "          trnsim compare monday/result.json trn3:gen1");
  command
      ->add_option(
          "first", a->a,
          "machine, as --machine takes it, or the result.json of a run (or its folder): as it was, not "
          "run again")
      ->required();
  command->add_option("second", a->b, "the same; a machine beside a result gets its question")->required();
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
