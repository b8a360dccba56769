#include <fmt/format.h>

#include <set>

#include "isa/assembler/assembler.h"
#include "isa/assembler/parser.h"

namespace trn {
namespace {

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {}

  std::string run() {
    line(fmt::format(".target {}", program_.target));
    line(fmt::format(".kernel {}", program_.name));
    for (const TensorDecl& t : program_.tensors) tensor(t);
    for (const QueueDecl& q : program_.queues)
      line(fmt::format(".queue {} engine={} dge={} priority={}", q.name, short_name(q.engine),
                       kDescriptorModes[static_cast<std::size_t>(q.mode)], q.priority));
    semaphores();
    for (std::size_t i = 0; i < program_.collectives.size(); ++i) collective(i);
    for (const TableDecl& t : program_.tables)
      line(fmt::format(".table {} = [{}]", t.name, fmt::join(t.values, ",")));
    for (const Golden& golden : program_.goldens)
      line(fmt::format(".golden {} = {}", program_.tensors[golden.tensor].name, golden.expression));
    if (program_.golden_tolerance != kGoldenTolerance || !program_.goldens.empty())
      line(fmt::format(".tol rel={:.9e}", program_.golden_tolerance));
    if (program_.model_flops != 0) line(fmt::format(".modelflops {}", program_.model_flops));
    regions();
    for (std::size_t c = 0; c < program_.cores.size(); ++c) {
      if (c > 0) line(".core");
      for (const EngineInfo& engine : kEngines) {
        const NodeList& stream = program_.cores[c].streams[index_of(engine.engine)];
        if (stream.empty()) continue;
        line(fmt::format("\n.engine {}", engine.short_name));
        nodes(stream, 0);
        line(".end");
      }
    }
    return std::move(out_);
  }

 private:
  void line(const std::string& text) { out_ += text + '\n'; }

  void tensor(const TensorDecl& t) {
    std::string place = t.space == Space::kHbm ? "" : fmt::format(" addr={}", t.address);
    if (t.stack != 0) place += fmt::format(" stack={}", t.stack);
    line(fmt::format(".tensor {} space={} dtype={} shape=[{}]{}", t.name,
                     kSpaces[static_cast<std::size_t>(t.space)], info(t.dtype).name, fmt::join(t.dims, ","),
                     place));
  }

  // "a[0]", "a[1]" were declared as an array: print the array once.
  void semaphores() {
    for (std::size_t i = 0; i < program_.semaphores.size();) {
      const std::string name = program_.semaphores[i].substr(0, program_.semaphores[i].find('['));
      const bool array = name.size() != program_.semaphores[i].size();
      std::size_t end = i + 1;
      while (array && end < program_.semaphores.size() &&
             program_.semaphores[end] == fmt::format("{}[{}]", name, end - i))
        ++end;
      line(array ? fmt::format(".sem {}[{}]", name, end - i) : ".sem " + name);
      i = end;
    }
  }

  void collective(std::size_t i) {
    const CollectiveDecl& c = program_.collectives[i];
    line(fmt::format(".coll coll{} op={} axis={} bytes={} dtype={} stream={} priority={}", i,
                     kCollectiveOps[static_cast<std::size_t>(c.op)], c.axis, c.bytes, info(c.dtype).name,
                     c.stream, c.priority));
  }

  // Naming all regions in order up front keeps their numbers.
  void regions() {
    for (const std::string& region : program_.regions) line(".region " + region);
    region_ = static_cast<std::uint32_t>(program_.regions.size() - 1);
  }

  void nodes(const NodeList& list, std::size_t depth) {
    const std::string indent(2 * (depth + 1), ' ');
    std::set<std::size_t> targets;
    for (std::size_t n = 0; n < list.size(); ++n)
      if (!list[n].is_loop() && list[n].instruction.opcode == Opcode::kBranch)
        targets.insert(n + static_cast<std::size_t>(list[n].instruction.control.jump));
    for (std::size_t n = 0; n < list.size(); ++n) {
      const Node& node = list[n];
      if (targets.count(n) != 0) line(fmt::format("{}L{}:", indent, n));
      at_ = n;
      if (node.is_loop()) {
        line(fmt::format("{}.for i{} in 0..{}", indent, depth, node.repeat));
        nodes(node.body, depth + 1);
        line(indent + ".endfor");
      } else {
        if (node.instruction.region != region_)
          line(indent + ".region " + program_.regions[node.instruction.region]);
        region_ = node.instruction.region;
        line(indent + instruction(node.instruction));
      }
    }
    if (targets.count(list.size()) != 0) line(fmt::format("{}L{}:", indent, list.size()));
  }

  static std::string number(const Scalar& scalar) {
    return scalar.reg == kNoRegister ? std::to_string(scalar.value) : fmt::format("r{}", scalar.reg);
  }
  static std::string added(std::uint8_t reg) { return reg == kNoRegister ? "" : fmt::format(" @r{}", reg); }

  void control(const Instruction& i, const Operands& operands, std::vector<std::string>& parts) const {
    if (i.opcode == Opcode::kClearSemaphore) parts.push_back(program_.semaphores[i.control.semaphore]);
    if (i.opcode == Opcode::kBranch)
      parts.push_back(fmt::format("L{}", at_ + static_cast<std::size_t>(i.control.jump)));
    if (i.opcode == Opcode::kBranch && i.op0 == AluOp::kNone) return;
    for (std::size_t s = 0; s < operands.max_numbers; ++s) parts.push_back(number(i.control.scalars[s]));
  }

  std::string affine(const Instruction& i, Field field) const {
    std::string text = fmt::format("{}", i.field(field));
    for (const AffineTerm& term : i.affine)
      if (term.field == field)
        text += fmt::format("{}{}*i{}", term.coefficient < 0 ? "" : "+", term.coefficient, term.loop);
    return text;
  }

  std::string pattern(const Instruction& i, const AccessPattern& ap, Field row, Field offset) const {
    std::string text = fmt::format("{}[{}:{} | {}{}", program_.tensors[ap.tensor].name, affine(i, row),
                                   ap.rows, affine(i, offset), added(ap.reg));
    for (std::uint32_t d = 0; d < ap.dim_count; ++d)
      text += fmt::format("{} ({},{})", d == 0 ? " |" : ",", ap.dims[d].step, ap.dims[d].num);
    return text + ']';
  }

  std::string instruction(const Instruction& i) const {
    const OpcodeInfo& opcode = info(i.opcode);
    std::vector<std::string> parts;
    if (opcode.operands.reg) parts.push_back(fmt::format("r{}", i.control.reg));
    if (takes_destination(opcode.operands))
      parts.push_back(pattern(i, i.dst, Field::kDstRow, Field::kDstOffset));
    for (std::size_t k = 0; k < i.source_count; ++k)
      parts.push_back(pattern(i, i.src[k], kSourceRows[k], kSourceOffsets[k]));
    control(i, opcode.operands, parts);
    if (i.opcode == Opcode::kDma) parts.push_back("q=" + program_.queues[i.queue].name);
    if (takes_table(opcode)) parts.push_back("t=" + program_.tables[i.table].name);
    if (i.opcode == Opcode::kActivation) parts.push_back(fmt::format("fn={}", info(i.fn).name));
    if (i.accumulate) parts.emplace_back("acc=1");
    if (i.double_row) parts.emplace_back("dr=1");
    if (i.sparse) parts.emplace_back("sp=1");
    if (!i.tile.whole())
      parts.push_back(fmt::format("tile=({},{},{},{})", 32 * i.tile.row, 32 * i.tile.column, 32 * i.tile.rows,
                                  32 * i.tile.columns));
    if (i.row_reduce != RowReduce::kIdle)
      parts.push_back(fmt::format("rc={}", kRowReduces[static_cast<std::size_t>(i.row_reduce)]));
    if (i.reduce_op != AluOp::kAdd)
      parts.push_back(fmt::format("rop={}", kAluOps[static_cast<std::size_t>(i.reduce_op)]));
    if (i.reverse0) parts.emplace_back("rev0=1");
    if (i.reverse1) parts.emplace_back("rev1=1");
    if (i.op0 != AluOp::kNone)
      parts.push_back(fmt::format("op0={}", kAluOps[static_cast<std::size_t>(i.op0)]));
    if (i.op1 != AluOp::kNone)
      parts.push_back(fmt::format("op1={}", kAluOps[static_cast<std::size_t>(i.op1)]));
    if (i.imm0 != default_imm0(i.opcode)) parts.push_back(fmt::format("imm0={:.9e}", i.imm0));
    if (i.imm1 != 0) parts.push_back(fmt::format("imm1={:.9e}", i.imm1));
    std::string text(opcode.mnemonic);
    if (opcode.kind_count() > 0) text += ' ' + std::string(opcode.kinds[i.kind]);
    if (i.opcode == Opcode::kCollective) text += fmt::format(" coll{}", i.collective);
    if (!parts.empty()) text += fmt::format(" {}", fmt::join(parts, ", "));
    if (i.wait.semaphore != kNoSemaphore)
      text += fmt::format(" ? {}>={}{}", program_.semaphores[i.wait.semaphore], affine(i, Field::kWaitValue),
                          added(i.wait.reg));
    if (i.post.semaphore != kNoSemaphore)
      text +=
          fmt::format(" ! {}+={}@{}{}", program_.semaphores[i.post.semaphore], i.post.increment,
                      i.post.when == PostTime::kRead ? "read" : "complete", i.post.sibling ? "@sibling" : "");
    return text;
  }

  const Program& program_;
  std::string out_;
  std::uint32_t region_ = 0;
  std::size_t at_ = 0;  // of the node being printed, in its list
};

}  // namespace

std::string disassemble(const Program& program) { return Printer(program).run(); }

Program assemble(const std::string& text, const std::string& name, const SourceLoader& loader) {
  return tasm::Parser(text, name, loader).run();
}

}  // namespace trn
