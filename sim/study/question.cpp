#include "sim/study/question.h"

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <nlohmann/json.hpp>
#include <tuple>

#include "base/build_info.h"
#include "base/error.h"
#include "base/text.h"
#include "sim/study/knob.h"

namespace trn {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

[[noreturn]] void fail(const std::string& where, const std::string& what) {
  throw ConfigError(where + ": " + what);
}

void read(const json& value, std::string& out, const std::string& where) {
  if (!value.is_string()) fail(where, "expected a text, found " + value.dump());
  out = value.get<std::string>();
}
template <class Int>
void read_integer(const json& value, Int& out, const std::string& where) {
  if (!value.is_number_unsigned() || value.get<std::uint64_t>() == 0 ||
      value.get<std::uint64_t>() > (std::uint64_t{1} << 40) ||
      value.get<std::uint64_t>() > std::numeric_limits<Int>::max())
    fail(where, "expected an integer > 0, found " + value.dump());
  out = value.get<Int>();
}
void read(const json& value, std::uint64_t& out, const std::string& where) {
  read_integer(value, out, where);
}
void read(const json& value, std::uint32_t& out, const std::string& where) {
  read_integer(value, out, where);
}
void read(const json& value, std::optional<std::uint64_t>& out, const std::string& where) {
  std::uint64_t number = 0;
  read_integer(value, number, where);
  out = number;
}

void write(ordered_json& out, const char* key, const std::string& value) {
  if (!value.empty()) out[key] = value;
}
void write(ordered_json& out, const char* key, std::uint64_t value) {
  if (value != 0) out[key] = value;
}
void write(ordered_json& out, const char* key, const std::optional<std::uint64_t>& value) {
  if (value) out[key] = *value;
}

// The options of one kind of question that are a text or a number.
template <class Q>
struct Option {
  const char* key;
  std::variant<std::string Q::*, std::uint64_t Q::*, std::uint32_t Q::*, std::optional<std::uint64_t> Q::*>
      member;
};

const std::vector<Option<TrainingQuestion>>& options_of(const TrainingQuestion&) {
  using Q = TrainingQuestion;
  static const std::vector<Option<Q>> kOptions{{"model", &Q::model},
                                               {"layout", &Q::layout},
                                               {"seq", &Q::sequence},
                                               {"micro_batch", &Q::micro_batch},
                                               {"global_batch", &Q::global_batch},
                                               {"tokens_per_step", &Q::tokens_per_step},
                                               {"lnc", &Q::lnc},
                                               {"recompute", &Q::recompute},
                                               {"lowering", &Q::lowering},
                                               {"gemms", &Q::gemms}};
  return kOptions;
}
const std::vector<Option<CollectiveQuestion>>& options_of(const CollectiveQuestion&) {
  using Q = CollectiveQuestion;
  static const std::vector<Option<Q>> kOptions{
      {"op", &Q::op},           {"ranks_per_chip", &Q::ranks_per_chip},
      {"domains", &Q::domains}, {"size", &Q::sizes},
      {"dtype", &Q::dtype},     {"algorithm", &Q::algorithm}};
  return kOptions;
}
const std::vector<Option<KernelQuestion>>& options_of(const KernelQuestion&) {
  using Q = KernelQuestion;
  static const std::vector<Option<Q>> kOptions{{"name", &Q::name}, {"lnc", &Q::lnc}};
  return kOptions;
}

// What only kernels have.
bool set_argument(KernelQuestion& q, const std::string& key, const json& value, const std::string& where) {
  if (key != "arguments") return false;
  if (!value.is_object()) fail(where, "expected an object of the kernel's arguments");
  for (const auto& item : value.items())
    q.arguments[item.key()] =
        item.value().is_string() ? item.value().get<std::string>() : item.value().dump();
  return true;
}
template <class Q>
bool set_argument(Q&, const std::string&, const json&, const std::string&) {
  return false;
}

bool is_figure(const std::string& key) {
  if (key.find('.') != std::string::npos) return true;
  for (const Knob& knob : knobs())
    if (key == knob.name) return true;
  return false;
}

// A figure named before is changed once only: by what is said last.
void set_figure(MachineChoice& machine, const std::string& key, const json& value, const std::string& where) {
  if (value.is_object() || value.is_null())
    fail(where, "expected a value, a factor like 4x or a change like +10%");
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  std::vector<std::string>& sets = machine.sets;
  sets.erase(
      std::remove_if(sets.begin(), sets.end(),
                     [&](const std::string& set) { return set.compare(0, key.size() + 1, key + '=') == 0; }),
      sets.end());
  sets.push_back(key + '=' + text);
}

template <class Q>
std::vector<std::string> known_keys(const Q& q) {
  std::vector<std::string> keys{"machine", "set"};
  for (const auto& option : options_of(q)) keys.emplace_back(option.key);
  return keys;
}

template <class Q>
void set_in(Q& q, const std::string& key, const json& value, const std::string& where) {
  if (key == "machine") return read(value, q.machine.machine, where);
  if (key == "set") {
    if (!value.is_object()) fail(where, "expected an object such as {\"hbm_bandwidth\": \"2x\"}");
    for (const auto& item : value.items())
      set_figure(q.machine, item.key(), item.value(), where + '.' + item.key());
    return;
  }
  if (is_figure(key)) return set_figure(q.machine, key, value, where);
  for (const auto& option : options_of(q)) {
    if (key != option.key) continue;
    std::visit([&](auto member) { read(value, q.*member, where); }, option.member);
    return;
  }
  if (set_argument(q, key, value, where)) return;
  fail(where, "unknown key" + suggestion(key, known_keys(q)));
}

template <class Q>
ordered_json json_of(const Q& q) {
  ordered_json out{{"machine", q.machine.full_name()}};
  for (const std::string& set : q.machine.sets) {
    const std::size_t equals = set.find('=');
    out["set"][set.substr(0, equals)] = set.substr(equals + 1);
  }
  for (const auto& option : options_of(q))
    std::visit([&](auto member) { write(out, option.key, q.*member); }, option.member);
  return out;
}

const char* const kKinds[] = {"train", "collective", "kernel"};

Question question_of_kind(std::size_t kind) {
  if (kind == 0) return TrainingQuestion{};
  if (kind == 1) return CollectiveQuestion{};
  return KernelQuestion{};
}

// Files that a question names and that may change under it.
std::string files_of(const Question& question, const Machine& machine) {
  std::string text;
  if (is_topology_file(machine.shape)) text += read_text_file(machine.shape);
  if (const auto* training = std::get_if<TrainingQuestion>(&question)) text += model_text(training->model);
  if (const auto* collective = std::get_if<CollectiveQuestion>(&question))
    if (collective->algorithm.rfind("msccl:", 0) == 0)
      text += read_text_file(collective->algorithm.substr(6));
  for (const HbmEfficiency::Row& row : machine.config.hbm.efficiency.rows)
    text += json{row.run_bytes, row.read, row.write, row.mixed}.dump();
  return text;
}

}  // namespace

MachineChoice& machine_of(Question& question) {
  return std::visit([](auto& q) -> MachineChoice& { return q.machine; }, question);
}
const MachineChoice& machine_of(const Question& question) {
  return std::visit([](const auto& q) -> const MachineChoice& { return q.machine; }, question);
}

Question parse_question(const json& value, const std::string& where) {
  if (!value.is_object() || value.size() != 1)
    fail(where, "expected {\"train\": {...}}, \"collective\" or \"kernel\"");
  const std::string kind = value.begin().key();
  for (std::size_t i = 0; i < std::size(kKinds); ++i) {
    if (kind != kKinds[i]) continue;
    Question question = question_of_kind(i);
    const json& options = value.begin().value();
    if (!options.is_object()) fail(where + '.' + kind, "expected an object");
    for (const auto& item : options.items())
      set_option(question, item.key(), item.value(), where + '.' + kind + '.' + item.key());
    return question;
  }
  fail(where + '.' + kind, "unknown key; known: train, collective, kernel");
}

void set_option(Question& question, const std::string& key, const json& value, const std::string& where) {
  std::visit([&](auto& q) { set_in(q, key, value, where); }, question);
}

ordered_json question_json(const Question& question) {
  ordered_json options = std::visit([](const auto& q) { return json_of(q); }, question);
  if (const auto* kernel = std::get_if<KernelQuestion>(&question)) options["arguments"] = kernel->arguments;
  ordered_json out;
  out[kKinds[question.index()]] = std::move(options);
  return out;
}

bool has_json(const CollectiveQuestion& q) {
  const CollectiveQuestion plain;
  const auto others = [](const CollectiveQuestion& of) {
    return std::tie(of.groups, of.beside, of.block_sizes, of.delays, of.root, of.shift, of.pairs, of.priority,
                    of.background_gb_per_s, of.background_priority, of.straggler_us);
  };
  return others(q) == others(plain);
}

std::string content_hash(const Question& question, const Machine& machine) {
  const std::string all = version() + ' ' + build_id() + '\n' + question_json(question).dump() + '\n' +
                          machine.document.json().dump() + '\n' + files_of(question, machine);
  return to_string(boost::uuids::name_generator_sha1(boost::uuids::ns::oid())(all));
}

}  // namespace trn
