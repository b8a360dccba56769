#include "isa/assembler/parser.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "isa/assembler/macro.h"
#include "isa/compress.h"
#include "isa/golden.h"

namespace trn::tasm {
namespace {

constexpr std::uint64_t kMaxDimension = std::uint64_t{1} << 40;

struct BlockPair {
  const char* open;
  const char* middle;
  const char* close;
};
constexpr BlockPair kBlocks[] = {
    {".for", "", ".endfor"}, {".if", ".else", ".endif"}, {".engine", "", ".end"}};

}  // namespace

Parser::Parser(const std::string& text, std::string file, const SourceLoader& loader)
    : file_(std::move(file)), lines_(expand_macros(lex(text, file_), loader)) {
  lookup_ = [this](const std::string& name) { return lookup(name); };
  program_.cores.emplace_back();
  match_blocks();
}

void Parser::match_blocks() {
  match_.assign(lines_.size(), 0);
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    const std::string& word = lines_[i].tokens[0].text;
    for (const BlockPair& block : kBlocks) {
      if (word == block.open) open.push_back(i);
      if (word != block.close && (word != block.middle || word.empty())) continue;
      const std::string opener = open.empty() ? "" : lines_[open.back()].tokens[0].text;
      if (opener != block.open && (opener != block.middle || word == block.middle || opener.empty()))
        Cursor(lines_[i]).fail(std::string("no matching ") + block.open);
      match_[open.back()] = i;
      open.pop_back();
      if (word == block.middle) open.push_back(i);
    }
  }
  if (!open.empty()) Cursor(lines_[open.back()]).fail("this block is never closed");
}

Program Parser::run() {
  lines(0, lines_.size());
  if (program_.target.empty()) throw ProgramError(file_ + ":1:1: missing .target; known: trn1, trn2, trn3");
  return std::move(program_);
}

void Parser::lines(std::size_t begin, std::size_t end) {
  for (std::size_t i = begin; i < end;) i = statement(i);
}

std::size_t Parser::statement(std::size_t at) {
  Cursor cursor(lines_[at]);
  const std::string word = cursor.peek().text;
  if (word[0] != '.') {
    if (cursor.next_is(":"))
      label(cursor);
    else if (!pseudo_instruction(cursor))
      instruction(cursor);
    return at + 1;
  }
  if (word == ".for") return for_loop(at, cursor);
  if (word == ".if") return conditional(at, cursor);
  cursor.take();
  if (word == ".const" || word == ".let") {
    define_constants(cursor);
  } else if (word == ".engine") {
    open_engine(cursor);
    body(at + 1, match_[at]);
    in_engine_ = false;
    return match_[at] + 1;
  } else if (word == ".region") {
    const std::string name = cursor.word("a region name");
    const auto it = std::find(program_.regions.begin(), program_.regions.end(), name);
    region_ = static_cast<std::uint32_t>(it - program_.regions.begin());
    if (it == program_.regions.end()) program_.regions.push_back(name);
  } else if (word == ".assert") {
    const Cursor before = cursor;
    if (constant(cursor) == 0) before.fail("the assertion does not hold; at");
  } else if (in_engine_) {
    cursor.fail("only .assert, .for, .if, .let and .region may stand inside .engine; before");
  } else if (word == ".target") {
    program_.target = cursor.word("a machine: trn1, trn2 or trn3");
  } else if (word == ".kernel") {
    program_.name = cursor.word("a kernel name");
  } else if (word == ".tensor") {
    declare_tensor(cursor);
  } else if (word == ".queue") {
    declare_queue(cursor);
  } else if (word == ".sem") {
    declare_semaphores(cursor);
  } else if (word == ".coll") {
    declare_collective(cursor);
  } else if (word == ".table") {
    declare_table(cursor);
  } else if (word == ".core") {
    if (program_.cores.size() == 2) cursor.fail("at most two cores (an LNC=2 pair)");
    program_.cores.emplace_back();
  } else if (word == ".golden") {
    declare_golden(cursor);
  } else if (word == ".tol") {
    cursor.expect("rel");
    cursor.expect("=");
    program_.golden_tolerance = real(cursor);
  } else if (word == ".modelflops") {
    program_.model_flops = static_cast<std::uint64_t>(constant(cursor));
  } else {
    throw ProgramError(
        *lines_[at].file + ':' + std::to_string(lines_[at].number) + ":1: unknown directive \"" + word + '"' +
        suggestion(word, {".assert", ".const",   ".core",   ".coll",   ".engine", ".for",        ".golden",
                          ".if",     ".include", ".kernel", ".let",    ".macro",  ".modelflops", ".queue",
                          ".region", ".sem",     ".table",  ".target", ".tensor", ".tol"}));
  }
  cursor.expect_end();
  return at + 1;
}

// A loop stays a loop when its body is affine in the variable; otherwise it is unrolled and compressed.
std::size_t Parser::for_loop(std::size_t at, Cursor& cursor) {
  if (!in_engine_) cursor.fail(".for may stand inside .engine only; before");
  cursor.expect(".for");
  const std::string variable = cursor.word("a loop variable");
  cursor.expect("in");
  const std::int64_t from = constant(cursor);
  cursor.expect("..");
  const std::int64_t to = constant(cursor);
  cursor.expect_end();
  const std::size_t end = match_[at];
  const std::size_t scope = names_.size();
  const std::size_t label_scope = scopes_.size();
  NodeList* const outer = out_;
  const std::uint32_t region = region_;

  const auto iteration = [&](Affine value, NodeList& target) {
    out_ = &target;
    names_.emplace_back(variable, std::move(value));
    body(at + 1, end);
    names_.resize(scope);
    out_ = outer;
  };

  const std::uint64_t trips =
      from < to ? static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from) : 0;
  if (trips > 1) {
    Node loop;
    loop.repeat = trips;
    Affine value;
    value.base = from;
    value.coefficients.assign(trips_.size() + 1, 0);
    value.coefficients.back() = 1;
    const std::size_t depth = trips_.size();
    trips_.push_back(trips);
    try {
      iteration(std::move(value), loop.body);
      trips_.pop_back();
      if (!loop.body.empty()) out_->push_back(std::move(loop));
      return end + 1;
    } catch (const NotAffine&) {
      trips_.resize(depth);
      names_.resize(scope);
      scopes_.erase(scopes_.begin() + static_cast<std::ptrdiff_t>(label_scope), scopes_.end());
      out_ = outer;
      region_ = region;
    }
  }
  NodeList unrolled;
  for (std::uint64_t i = 0; i < trips; ++i) {
    Affine value;
    value.base = from + static_cast<std::int64_t>(i);
    iteration(std::move(value), unrolled);
  }
  compress(unrolled, static_cast<std::uint8_t>(trips_.size()));
  for (Node& node : unrolled) out_->push_back(std::move(node));
  return end + 1;
}

std::size_t Parser::conditional(std::size_t at, Cursor& cursor) {
  cursor.expect(".if");
  const bool taken = constant(cursor) != 0;
  cursor.expect_end();
  const std::size_t middle = match_[at];
  const bool has_else = lines_[middle].tokens[0].text == ".else";
  const std::size_t end = has_else ? match_[middle] : middle;
  const std::size_t scope = names_.size();
  if (taken)
    lines(at + 1, middle);
  else if (has_else)
    lines(middle + 1, end);
  if (in_engine_) names_.resize(scope);
  return end + 1;
}

void Parser::define_constants(Cursor& cursor) {
  do {
    const std::string name = cursor.word("a name");
    cursor.expect("=");
    define(cursor, name, expression(cursor));
  } while (cursor.accept(","));
}

void Parser::declare_tensor(Cursor& cursor) {
  TensorDecl tensor;
  tensor.name = cursor.word("a tensor name");
  check_new_name(cursor, tensor.name);
  bool addressed = false;
  bool typed = false;
  bool placed = false;
  while (!cursor.at_end()) {
    const std::string key = cursor.word("space=, dtype=, shape=, addr= or stack=");
    cursor.expect("=");
    if (key == "space") {
      const auto it = std::find(kSpaces.begin(), kSpaces.end(), cursor.peek().text);
      if (it == kSpaces.end()) cursor.fail("unknown space; known: hbm, sbuf, psum");
      tensor.space = static_cast<Space>(it - kSpaces.begin());
      cursor.take();
      placed = true;
    } else if (key == "dtype") {
      tensor.dtype = dtype_named(cursor.peek().text, cursor.where());
      cursor.take();
      typed = true;
    } else if (key == "shape") {
      cursor.expect("[");
      do {
        tensor.dims.push_back(positive(cursor, "a dimension"));
      } while (cursor.accept(","));
      cursor.expect("]");
    } else if (key == "addr") {
      const std::int64_t address = constant(cursor);
      if (address < 0) cursor.fail("a negative address before");
      tensor.address = static_cast<std::uint64_t>(address);
      addressed = true;
    } else if (key == "stack") {
      const std::int64_t stack = constant(cursor);
      if (stack < 0 || stack > 255) cursor.fail("a stack is 0 (the rank's own) to 255; before");
      tensor.stack = static_cast<std::uint32_t>(stack);
    } else {
      cursor.fail("unknown key \"" + key + "\"; known: space, dtype, shape, addr, stack; before");
    }
    cursor.accept(",");
  }
  if (!placed || !typed || tensor.dims.empty()) cursor.fail("a tensor needs space=, dtype= and shape=");
  if (tensor.stack != 0 && tensor.space != Space::kHbm) cursor.fail("stack= is for tensors in HBM; at");
  std::uint64_t elements = 1;
  for (const std::uint64_t dim : tensor.dims)
    if (__builtin_mul_overflow(elements, dim, &elements) || elements > kMaxDimension)
      cursor.fail("tensor too large");
  if (tensor.space != Space::kHbm) {
    std::uint64_t& next = tensor.space == Space::kSbuf ? next_sbuf_ : next_psum_;
    if (!addressed) tensor.address = next;
    next = std::max(next, (tensor.address + tensor.row_bytes() + 63) / 64 * 64);
  }
  tensors_[tensor.name] = static_cast<std::uint32_t>(program_.tensors.size());
  program_.tensors.push_back(std::move(tensor));
}

// What is left of the line, as it is stored.
void Parser::declare_golden(Cursor& cursor) {
  const auto it = tensors_.find(cursor.peek().text);
  if (it == tensors_.end()) cursor.fail("unknown tensor; declare it with .tensor");
  cursor.take();
  cursor.expect("=");
  const Cursor before = cursor;
  Golden golden{it->second, ""};
  while (!cursor.at_end()) golden.expression += (golden.expression.empty() ? "" : " ") + cursor.take().text;
  const std::string problem = golden_problem(golden, program_);
  if (!problem.empty()) before.fail(problem + "; at");
  program_.goldens.push_back(std::move(golden));
}

void Parser::declare_queue(Cursor& cursor) {
  QueueDecl queue;
  queue.name = cursor.word("a queue name");
  check_new_name(cursor, queue.name);
  while (!cursor.at_end()) {
    const std::string key = cursor.word("engine=, dge= or priority=");
    cursor.expect("=");
    if (key == "engine") {
      const auto it = std::find_if(kEngines.begin(), kEngines.end(),
                                   [&](const EngineInfo& e) { return e.short_name == cursor.peek().text; });
      if (it == kEngines.end()) cursor.fail("unknown engine; known: PE, DVE, ACT, POOL, SP");
      queue.engine = it->engine;
      cursor.take();
    } else if (key == "dge") {
      const auto it = std::find(kDescriptorModes.begin(), kDescriptorModes.end(), cursor.peek().text);
      if (it == kDescriptorModes.end()) cursor.fail("unknown descriptor mode; known: static, hw, sw");
      queue.mode = static_cast<DescriptorMode>(it - kDescriptorModes.begin());
      cursor.take();
    } else if (key == "priority") {
      const std::int64_t priority = constant(cursor);
      if (priority < 0 || priority > 3) cursor.fail("priority is 0 (first) to 3; before");
      queue.priority = static_cast<std::uint32_t>(priority);
    } else {
      cursor.fail("unknown key \"" + key + "\"; known: engine, dge, priority; before");
    }
    cursor.accept(",");
  }
  queues_[queue.name] = static_cast<std::uint16_t>(program_.queues.size());
  program_.queues.push_back(std::move(queue));
}

void Parser::declare_semaphores(Cursor& cursor) {
  do {
    const std::string name = cursor.word("a semaphore name");
    check_new_name(cursor, name);
    std::uint64_t count = 1;
    const bool array = cursor.accept("[");
    if (array) {
      count = positive(cursor, "an array size");
      cursor.expect("]");
    }
    if (program_.semaphores.size() + count > 4096) cursor.fail("more than 4096 semaphores");
    semaphores_[name] = {static_cast<std::uint16_t>(program_.semaphores.size()),
                         static_cast<std::uint16_t>(count)};
    for (std::uint64_t i = 0; i < count; ++i)
      program_.semaphores.push_back(array ? name + '[' + std::to_string(i) + ']' : name);
  } while (cursor.accept(","));
}

void Parser::declare_collective(Cursor& cursor) {
  CollectiveDecl coll;
  const std::string name = cursor.word("a collective name");
  check_new_name(cursor, name);
  while (!cursor.at_end()) {
    const std::string key = cursor.word("op=, axis=, bytes=, dtype=, stream= or priority=");
    cursor.expect("=");
    if (key == "op") {
      const auto it = std::find(kCollectiveOps.begin(), kCollectiveOps.end(), cursor.peek().text);
      if (it == kCollectiveOps.end())
        cursor.fail("unknown collective; known: all_reduce, all_gather, reduce_scatter, all_to_all");
      coll.op = static_cast<CollectiveOp>(it - kCollectiveOps.begin());
      cursor.take();
    } else if (key == "axis") {
      coll.axis = cursor.word("a mesh axis");
    } else if (key == "bytes") {
      coll.bytes = positive(cursor, "a size in bytes");
    } else if (key == "dtype") {
      coll.dtype = dtype_named(cursor.peek().text, cursor.where());
      cursor.take();
    } else if (key == "stream") {
      coll.stream = static_cast<std::uint32_t>(constant(cursor));
      if (coll.stream > 3) cursor.fail("streams are 0 to 3; before");
    } else if (key == "priority") {
      coll.priority = static_cast<std::uint32_t>(constant(cursor));
      if (coll.priority > 3) cursor.fail("priority is 0 (first) to 3; before");
    } else {
      cursor.fail("unknown key \"" + key + "\"; known: op, axis, bytes, dtype, stream, priority; before");
    }
    cursor.accept(",");
  }
  if (coll.bytes == 0 || coll.axis.empty()) cursor.fail("a collective needs op=, axis= and bytes=");
  collectives_[name] = static_cast<std::uint32_t>(program_.collectives.size());
  program_.collectives.push_back(std::move(coll));
}

void Parser::declare_table(Cursor& cursor) {
  TableDecl table;
  table.name = cursor.word("a table name");
  check_new_name(cursor, table.name);
  cursor.expect("=");
  cursor.expect("[");
  do {
    table.values.push_back(constant(cursor));
  } while (cursor.accept(","));
  cursor.expect("]");
  tables_[table.name] = static_cast<std::uint32_t>(program_.tables.size());
  program_.tables.push_back(std::move(table));
}

void Parser::open_engine(Cursor& cursor) {
  const auto it = std::find_if(kEngines.begin(), kEngines.end(),
                               [&](const EngineInfo& e) { return e.short_name == cursor.peek().text; });
  if (it == kEngines.end()) cursor.fail("unknown engine; known: PE, DVE, ACT, POOL, SP");
  cursor.take();
  cursor.expect_end();
  in_engine_ = true;
  engine_ = it->engine;
  out_ = &program_.cores.back().streams[index_of(engine_)];
}

const Affine* Parser::lookup(const std::string& name) const {
  for (auto it = names_.rbegin(); it != names_.rend(); ++it)
    if (it->first == name) return &it->second;
  return nullptr;
}

void Parser::define(Cursor& cursor, const std::string& name, Affine value) {
  if (!in_engine_) check_new_name(cursor, name);
  names_.emplace_back(name, std::move(value));
}

void Parser::check_new_name(Cursor& cursor, const std::string& name) const {
  if (is_register(name)) cursor.fail(name + " is a register; before");
  if (lookup(name) != nullptr || tensors_.count(name) + queues_.count(name) + semaphores_.count(name) +
                                         collectives_.count(name) + tables_.count(name) >
                                     0)
    cursor.fail("the name \"" + name + "\" is already in use; before");
}

Affine Parser::expression(Cursor& cursor) { return parse_expression(cursor, lookup_); }
std::int64_t Parser::constant(Cursor& cursor) { return parse_constant(cursor, lookup_); }

std::uint64_t Parser::positive(Cursor& cursor, const char* what) {
  const Cursor before = cursor;
  const std::int64_t value = constant(cursor);
  if (value <= 0 || static_cast<std::uint64_t>(value) > kMaxDimension)
    before.fail(std::string(what) + " must be 1 to 2^40, it is " + std::to_string(value) + "; at");
  return static_cast<std::uint64_t>(value);
}

}  // namespace trn::tasm
