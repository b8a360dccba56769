#include "sim/study/comparison.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "base/build_info.h"
#include "base/error.h"
#include "base/text.h"
#include "sim/run/economy.h"
#include "sim/study/ask.h"
#include "sim/study/subsystem.h"

namespace trn {
namespace {

// Between A and B: which parts are already B's. The question's own options (layout, precision, ...) go with
// the Tensor part, which executes them.
class Hybrids {
 public:
  Hybrids(const Contender& a, const Contender& b) : a_(a), b_(b) {}

  std::vector<std::string> part_names() const {
    std::vector<std::string> names;
    for (const Subsystem& subsystem : subsystems()) names.emplace_back(subsystem.name);
    return names;
  }

  std::function<Answer()> work(const std::vector<bool>& of_b) const {
    return [this, of_b] {
      const MachineChoice &a = machine_of(a_.question), &b = machine_of(b_.question);
      const ConfigDocument from = b.document();
      ConfigDocument document = a.document();
      for (std::size_t i = 0; i < of_b.size(); ++i)
        if (of_b[i]) document = with_subsystem(document, from, subsystems()[i]);
      const Machine machine(std::move(document), of_b.back() ? b.shape() : a.shape());
      return answer(of_b.front() ? b_.question : a_.question, machine);
    };
  }

 private:
  const Contender &a_, &b_;
};

// Tokens of a step, bytes of a collective, FLOPs of a kernel; 0 of a kernel without.
double work_done(const Answer& answer) {
  const double seconds = to_seconds(answer.time);
  for (const Metric& metric : answer.metrics)
    for (const auto& [name, unit] :
         {std::pair{"tokens_per_s", 1.0}, std::pair{"algbw_gb_per_s", 1e9}, std::pair{"tflops", 1e12}})
      if (metric.name == name) return metric.value * unit * seconds;
  return 0;
}

bool same_work(const Answer& a, const Answer& b) {
  return std::abs(work_done(a) - work_done(b)) <= 1e-6 * work_done(a);
}

// The time as it is compared: for the same chips and the same tokens.
std::int64_t picoseconds(const Answer& answer, const Comparison& c) {
  const double chips = c.chip_time ? answer.metric("chips") : 1;
  const std::int64_t time = static_cast<std::int64_t>(answer.time.count()) * static_cast<std::int64_t>(chips);
  if (!c.token_time) return time;
  return std::llround(static_cast<double>(time) * work_done(c.answer_a) / work_done(answer));
}

// Replaces the parts in the given order; the gain of each, in the order of the parts.
struct Path {
  std::vector<std::size_t> order;
  std::vector<std::size_t> replies;  // of the states between A and B
};

std::vector<std::int64_t> gains(const Path& path, const std::vector<Reply>& replies, const Comparison& c) {
  std::vector<std::int64_t> out(path.order.size());
  std::int64_t before = picoseconds(c.answer_a, c);
  for (std::size_t i = 0; i < path.order.size(); ++i) {
    const bool last = i + 1 == path.order.size();
    const Answer& after = last ? c.answer_b : replies[path.replies[i]].answer;
    out[path.order[i]] = before - picoseconds(after, c);
    before = picoseconds(after, c);
  }
  return out;
}

void tell_apart(Comparison& c, std::size_t jobs) {
  const Hybrids hybrids(c.a, c.b);
  const std::vector<std::string> names = hybrids.part_names();
  std::vector<std::function<Answer()>> work;
  Path forward, reverse;
  forward.order.resize(names.size());
  std::iota(forward.order.begin(), forward.order.end(), std::size_t{0});
  reverse.order.assign(forward.order.rbegin(), forward.order.rend());
  for (Path* path : {&forward, &reverse}) {
    std::vector<bool> of_b(names.size(), false);
    for (std::size_t i = 0; i + 1 < names.size(); ++i) {
      of_b[path->order[i]] = true;
      path->replies.push_back(work.size());
      work.push_back(hybrids.work(of_b));
    }
  }
  const std::vector<Reply> replies = ask_all(work, jobs, "compare");
  for (const Reply& reply : replies) {
    if (reply.ok()) continue;
    c.why_no_parts = "a machine between the two cannot run this: " + reply.error;
    return;
  }
  const std::vector<std::int64_t> first = gains(forward, replies, c), second = gains(reverse, replies, c);
  for (std::size_t i = 0; i < names.size(); ++i) c.parts.push_back({names[i], first[i], second[i]});
}

// The published link presets of a machine, the one in use left out; empty if its shape names none.
std::set<std::string> other_presets(const Question& question) {
  const ConfigDocument document = machine_of(question).document();
  const std::string shape = "shapes." + machine_of(question).shape() + ".links";
  std::string in_use;
  for (const ConfigFigure& figure : document.figures())
    if (figure.key == shape) in_use = figure.value.substr(1, figure.value.size() - 2);
  std::set<std::string> names;
  if (in_use.empty()) return names;
  for (const auto& item : document.json()["link_presets"].items())
    if (item.key() != in_use) names.insert(item.key());
  return names;
}

Question with_preset(const Question& question, const std::string& preset) {
  Question changed = question;
  MachineChoice& machine = machine_of(changed);
  if (other_presets(question).count(preset) > 0)
    machine.sets.push_back("shapes." + machine.shape() + ".links=" + preset);
  return changed;
}

void try_presets(Comparison& c, std::size_t jobs) {
  std::set<std::string> presets = other_presets(c.a.question);
  presets.merge(other_presets(c.b.question));
  std::vector<std::function<Answer()>> work;
  for (const std::string& preset : presets)
    for (const Contender* one : {&c.a, &c.b}) work.push_back(work_of(with_preset(one->question, preset)));
  const std::vector<Reply> replies = ask_all(work, jobs, "link presets");
  std::size_t at = 0;
  for (const std::string& preset : presets) {
    const Answer &a = answer_of(replies[at]), &b = answer_of(replies[at + 1]);
    at += 2;
    c.presets.push_back({preset, a.headline().value, b.headline().value});
    const std::int64_t gain = picoseconds(a, c) - picoseconds(b, c);
    c.flips = c.flips || (gain > 0) != (c.gain_ps() > 0);
  }
}

// Those of stored sides as they are, the others asked.
std::pair<Answer, Answer> answers(const Contender& a, const Contender& b, std::size_t jobs) {
  std::vector<std::function<Answer()>> work;
  for (const Contender* side : {&a, &b})
    if (!side->stored) work.push_back(work_of(side->question));
  const std::vector<Reply> replies = ask_all(work, jobs, "compare");
  const auto of = [](const Contender& side, const Reply* reply) {
    return side.stored ? side.stored->answer : answer_of(*reply);
  };
  return {of(a, replies.data()), of(b, replies.data() + (a.stored ? 0 : 1))};
}

Machine machine_of(const Contender& side) {
  if (!side.stored) return machine_of(side.question).resolve();
  return Machine(side.stored->machine.document.copy(), side.stored->machine.shape);
}

std::string build_of(const Contender& side) { return side.stored ? side.stored->build : build_id(); }

void price(Comparison& c, const ChipConfig& chip_a, const ChipConfig& chip_b) {
  if (!std::holds_alternative<TrainingQuestion>(c.a.question)) return;
  const auto chips = [](const Answer& of) { return static_cast<std::uint64_t>(of.metric("chips")); };
  const auto cost = [&](const ChipConfig& chip, const Answer& of) {
    return economy(chip, chips(of), of.metric("tokens_per_s")).usd_per_million_tokens;
  };
  const auto even = [&](double usd, const Answer& of) {
    return break_even_usd_per_hour(usd, chips(of), of.metric("tokens_per_s"));
  };
  const auto usd_a = cost(chip_a, c.answer_a), usd_b = cost(chip_b, c.answer_b);
  if (usd_a && !usd_b) c.break_even_usd_b = even(*usd_a, c.answer_b);
  if (usd_b && !usd_a) c.break_even_usd_a = even(*usd_b, c.answer_a);
}

}  // namespace

std::int64_t Comparison::gain_ps() const {
  return picoseconds(answer_a, *this) - picoseconds(answer_b, *this);
}

std::int64_t Comparison::time_a_ps() const { return picoseconds(answer_a, *this); }

std::vector<double> exact_percentages(const std::vector<double>& parts, double whole) {
  std::vector<double> tenths, remainders;
  double sum = 0;
  for (const double part : parts) {
    const double exact = whole == 0 ? 0 : 1000 * part / whole;
    tenths.push_back(std::floor(exact));
    remainders.push_back(exact - tenths.back());
    sum += tenths.back();
  }
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t i, std::size_t j) { return remainders[i] > remainders[j]; });
  const auto missing = static_cast<std::size_t>(whole == 0 ? 0 : std::llround(1000 - sum));
  for (std::size_t i = 0; i < missing && i < order.size(); ++i) tenths[order[i]] += 1;
  for (double& value : tenths) value /= 10;
  return tenths;
}

Comparison compare(const Contender& a, const Contender& b, std::size_t jobs) {
  if (a.question.index() != b.question.index())
    throw UsageError("compare: " + a.label + " and " + b.label + " answer different kinds of question");
  auto [answer_a, answer_b] = answers(a, b, jobs);
  Comparison c{a, b, std::move(answer_a), std::move(answer_b)};
  c.chip_time = c.answer_a.metric("chips") != c.answer_b.metric("chips");
  c.token_time = !same_work(c.answer_a, c.answer_b);
  if (c.token_time && !std::holds_alternative<TrainingQuestion>(a.question))
    throw UsageError("compare: " + a.label + " and " + b.label +
                     " do different work, so that times compare nothing; ask both for the same");
  if (c.token_time)
    c.notes.push_back(
        "the steps have different numbers of tokens: times of the second are scaled to those of the first");
  const Machine machine_a = machine_of(a), machine_b = machine_of(b);
  c.inputs = changed_inputs(machine_a, machine_b);
  c.options = changed_options(a.question, b.question);
  for (const auto& [side, machine] : {std::pair{&a, &machine_a}, std::pair{&b, &machine_b}})
    for (const std::string& line : machine->document.scaled_along())
      c.notes.push_back(side->label + ": " + line);
  if (build_of(a) != build_of(b)) c.notes.push_back("the two are answers of different builds of trnsim");
  price(c, machine_a.config.chip, machine_b.config.chip);
  if (a.stored || b.stored) {
    c.why_no_parts = "a stored result is not run again; name two machines to have subsystems replaced";
    return c;
  }
  tell_apart(c, jobs);
  try_presets(c, jobs);
  return c;
}

}  // namespace trn
