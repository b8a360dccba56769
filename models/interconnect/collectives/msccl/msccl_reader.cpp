#include "models/interconnect/collectives/msccl/msccl_reader.h"

#include <boost/property_tree/xml_parser.hpp>
#include <charconv>
#include <sstream>

#include "base/error.h"
#include "base/text.h"

namespace trn {
namespace {

using Tree = boost::property_tree::ptree;

// Far above what anybody writes, and low enough that sums and tables of them fit.
constexpr std::uint32_t kMostGpus = 4096, kMostBlocks = 1024, kMostChannels = 1024, kMostChunks = 1u << 16,
                        kMostSteps = 1u << 20;
constexpr std::size_t kDeepest = 16;  // tags in tags; the format has four

// An element and the place that messages about it begin with.
class Element {
 public:
  Element(const Tree& tree, std::string where) : tree_(tree), where_(std::move(where)) {}

  std::string text(const char* key) const {
    const auto value = tree_.get_optional<std::string>(path(key));
    if (!value) fail(std::string("no attribute ") + key);
    return *value;
  }

  std::int64_t number(const char* key, std::int64_t least, std::int64_t most) const {
    const std::string value = text(key);
    std::int64_t out = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), out);
    if (error != std::errc() || end != value.data() + value.size() || out < least || out > most)
      fail(std::string(key) + "=\"" + value + "\", expected a whole number from " + std::to_string(least) +
           " to " + std::to_string(most));
    return out;
  }
  std::uint32_t natural(const char* key, std::uint32_t least, std::uint32_t most) const {
    return static_cast<std::uint32_t>(number(key, least, most));
  }
  bool has(const char* key) const { return tree_.get_child_optional(path(key)).has_value(); }

  // -1: none.
  std::optional<std::uint32_t> natural_or_none(const char* key, std::uint32_t most) const {
    const std::int64_t value = number(key, -1, most);
    if (value < 0) return std::nullopt;
    return static_cast<std::uint32_t>(value);
  }

  template <class Names>
  std::size_t one_of(const char* key, const Names& names) const {
    const std::string value = text(key);
    const std::vector<std::string> known(names.begin(), names.end());
    for (std::size_t i = 0; i < known.size(); ++i)
      if (known[i] == value) return i;
    fail(std::string(key) + "=\"" + value + "\", expected one of " + join(known));
  }

  // Children, which must all be called `tag`.
  template <class Visit>
  void each(const std::string& tag, Visit visit) const {
    if (!tree_.data().empty())
      fail("text \"" + tree_.data().substr(0, 20) + "\" where only tags are allowed");
    for (const auto& [name, child] : tree_) {
      if (name == "<xmlattr>") continue;
      if (name != tag) fail("<" + name + ">, expected " + (tag.empty() ? "nothing inside" : "<" + tag + ">"));
      visit(child);
    }
  }

  const std::string& where() const { return where_; }
  [[noreturn]] void fail(const std::string& what) const { throw ProgramError(where_ + ": " + what); }

 private:
  static std::string path(const char* key) { return std::string("<xmlattr>.") + key; }

  const Tree& tree_;
  std::string where_;
};

MscclPlace read_place(const Element& step, const char* buffer, const char* chunk) {
  return {static_cast<MscclBuffer>(step.one_of(buffer, kMscclBufferNames)),
          step.natural(chunk, 0, kMostChunks)};
}

MscclStep read_step(const Element& element) {
  std::vector<std::string> types;
  for (const MscclStepInfo& info : kMscclSteps) types.emplace_back(info.name);
  element.each("", [](const Tree&) {});
  MscclStep step;
  step.type = static_cast<MscclStepType>(element.one_of("type", types));
  // A nop's places mean nothing, and tools write -1 there.
  if (step.type != MscclStepType::kNop) {
    if (step.info().uses_source) step.source = read_place(element, "srcbuf", "srcoff");
    if (step.info().stores) step.destination = read_place(element, "dstbuf", "dstoff");
    step.count = element.natural("cnt", 1, kMostChunks);
  }
  const auto block = element.natural_or_none("depid", kMostBlocks - 1);
  const auto other = element.natural_or_none("deps", kMostSteps - 1);
  if (block.has_value() != other.has_value()) element.fail("one of depid and deps is -1, the other is not");
  if (block) step.after = MscclDependency{*block, *other};
  step.awaited = element.natural("hasdep", 0, 1) == 1;
  return step;
}

// Puts `item` at its id; gaps are found at the end by comparing with `seen`.
template <class Item>
void place(std::vector<std::optional<Item>>& items, std::uint32_t id, Item item, const Element& element) {
  if (id >= items.size()) items.resize(id + 1);
  if (items[id]) element.fail("is there twice");
  items[id] = std::move(item);
}

template <class Item>
std::vector<Item> all_of(std::vector<std::optional<Item>> items, const Element& parent, const char* tag) {
  std::vector<Item> all;
  for (std::optional<Item>& item : items) {
    if (!item)
      parent.fail(std::string("no ") + tag + " with id " + std::to_string(all.size()) +
                  "; ids are 0, 1, 2 ...");
    all.push_back(std::move(*item));
  }
  return all;
}

MscclBlock read_block(const Element& element) {
  MscclBlock block;
  block.send = element.natural_or_none("send", kMostGpus - 1);
  block.receive = element.natural_or_none("recv", kMostGpus - 1);
  block.channel = element.natural("chan", 0, kMostChannels - 1);
  element.each("step", [&](const Tree& tree) {
    const std::string next = std::to_string(block.steps.size());
    const Element step(tree, element.where() + " step " + next);
    if (step.text("s") != next) step.fail("s=\"" + step.text("s") + "\", expected " + next);
    block.steps.push_back(read_step(step));
  });
  return block;
}

MscclGpu read_gpu(const Element& element) {
  MscclGpu gpu;
  gpu.chunks = {element.natural("i_chunks", 0, kMostChunks), element.natural("o_chunks", 0, kMostChunks),
                element.natural("s_chunks", 0, kMostChunks)};
  std::vector<std::optional<MscclBlock>> blocks;
  element.each("tb", [&](const Tree& tree) {
    const std::uint32_t id = Element(tree, element.where() + " tb").natural("id", 0, kMostBlocks - 1);
    const Element block(tree, element.where() + " tb " + std::to_string(id));
    place(blocks, id, read_block(block), block);
  });
  gpu.blocks = all_of(std::move(blocks), element, "tb");
  return gpu;
}

// The XML parser goes down a call a tag.
void check_depth(const std::string& text, const std::string& name) {
  std::size_t depth = 0;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const char next = text[i + 1];
    if (text[i] == '<' && next != '/' && next != '!' && next != '?') ++depth;
    if (((text[i] == '<' && next == '/') || (text[i] == '/' && next == '>')) && depth > 0) --depth;
    if (depth > kDeepest) throw ProgramError(name + ": tags in tags in tags; an MSCCL file has four levels");
  }
}

Tree parse(const std::string& text, const std::string& name) {
  check_depth(text, name);
  namespace xml = boost::property_tree::xml_parser;
  Tree tree;
  std::istringstream in(text);
  try {
    xml::read_xml(in, tree, xml::no_comments | xml::trim_whitespace);
  } catch (const xml::xml_parser_error& error) {
    throw ProgramError(name + ": line " + std::to_string(error.line()) + ": not XML: " + error.message());
  }
  return tree;
}

}  // namespace

MscclProgram read_msccl(const std::string& text, const std::string& name) {
  const Tree tree = parse(text, name);
  const auto root = tree.get_child_optional("algo");
  if (!root || tree.size() != 1) throw ProgramError(name + ": expected one <algo> and nothing else");
  const Element algo(*root, name);
  MscclProgram program;
  program.file = name;
  program.name = algo.text("name");
  program.collective = kMscclCollectives[algo.one_of("coll", kMscclCollectives)];
  program.chunks_per_loop = algo.natural("nchunksperloop", 1, kMostChunks);
  // Some files are good for both; then the general case is run.
  const bool both = algo.has("outofplace") && algo.natural("outofplace", 0, 1) == 1;
  program.in_place = algo.natural("inplace", 0, 1) == 1 && !both;

  const std::uint32_t count = algo.natural("ngpus", 1, kMostGpus);
  std::vector<std::optional<MscclGpu>> gpus(count);
  algo.each("gpu", [&](const Tree& child) {
    const std::uint32_t id = Element(child, name + ": gpu").natural("id", 0, count - 1);
    const Element gpu(child, name + ": gpu " + std::to_string(id));
    place(gpus, id, read_gpu(gpu), gpu);
  });
  program.gpus = all_of(std::move(gpus), algo, "gpu");
  return program;
}

}  // namespace trn
