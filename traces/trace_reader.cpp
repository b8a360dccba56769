#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/stubs/logging.h>

#include <cmath>

#include "base/error.h"
#include "isa/golden.h"
#include "traces/trace.pb.h"
#include "traces/trace_file.h"
#include "traces/trace_format.h"

namespace trn {
namespace {

constexpr std::size_t kMaxDepth = 8;                           // of loops
constexpr std::uint64_t kMaxDynamic = std::uint64_t{1} << 48;  // instructions executed

class Reader {
 public:
  Reader(const std::string& bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}

  Program run() {
    if (!is_trace(bytes_)) fail("not a trace: it does not start with TRNTRC1");
    at_ = trace_format::kMagicBytes;
    std::uint64_t chunks = 0;
    for (;; ++chunks) {
      const trace::Chunk chunk = next_chunk();
      if (chunks == 0 && !chunk.has_declarations()) fail("the first chunk must hold the declarations");
      if (chunk.has_end()) {
        if (chunk.end().chunks() != chunks)
          fail("chunks are missing: the end names " + std::to_string(chunk.end().chunks()) + ", found " +
               std::to_string(chunks));
        break;
      }
      if (chunk.has_declarations() && chunks != 0) fail("declarations appear twice");
      if (chunk.has_declarations()) declarations(chunk.declarations());
      if (chunk.has_stream()) stream(chunk.stream());
    }
    if (at_ != bytes_.size()) fail("bytes after the end of the trace");
    return std::move(program_);
  }

 private:
  trace::Chunk next_chunk() {
    if (at_ >= bytes_.size()) fail("the file is cut short: no end chunk");
    const auto* data = reinterpret_cast<const std::uint8_t*>(bytes_.data()) + at_;
    google::protobuf::io::CodedInputStream in(
        data, static_cast<int>(std::min<std::size_t>(bytes_.size() - at_, 16)));
    std::uint32_t size = 0;
    if (!in.ReadVarint32(&size)) fail("the file is cut short inside a chunk length");
    const std::size_t begin = at_ + static_cast<std::size_t>(in.CurrentPosition());
    if (size > trace_format::kMaxChunkBytes || size > bytes_.size() - begin)
      fail("the file is cut short: a chunk of " + std::to_string(size) + " bytes, " +
           std::to_string(bytes_.size() - begin) + " left");
    trace::Chunk chunk;
    if (!chunk.ParseFromArray(bytes_.data() + begin, static_cast<int>(size))) fail("a chunk is damaged");
    if (chunk.kind_case() == trace::Chunk::KIND_NOT_SET) fail("a chunk of unknown kind");
    at_ = begin + size;
    return chunk;
  }

  // An enumerator stored as a number.
  template <class E>
  E enumerator(std::uint32_t value, std::size_t count, const char* what) const {
    if (value >= count) fail(std::string("unknown ") + what + " number " + std::to_string(value));
    return static_cast<E>(value);
  }

  void index(std::uint64_t value, std::size_t count, const char* what) const {
    if (value >= count)
      fail(std::string(what) + " number " + std::to_string(value) + " is out of range, there are " +
           std::to_string(count));
  }

  void declarations(const trace::Declarations& from) {
    if (from.version() != trace_format::kVersion)
      fail("trace version " + std::to_string(from.version()) + "; this trnsim reads version " +
           std::to_string(trace_format::kVersion));
    if (from.cores() < 1 || from.cores() > 2)
      fail("a program has one or two cores, found " + std::to_string(from.cores()));
    program_.name = from.name();
    program_.target = from.target();
    program_.cores.resize(from.cores());
    for (const trace::Tensor& t : from.tensors()) {
      TensorDecl tensor{t.name(),
                        enumerator<Space>(t.space(), kSpaces.size(), "space"),
                        enumerator<DType>(t.dtype(), kDTypes.size(), "dtype"),
                        {t.dims().begin(), t.dims().end()},
                        t.address(),
                        t.stack()};
      std::uint64_t elements = 1;
      for (const std::uint64_t dim : tensor.dims)
        if (dim == 0 || __builtin_mul_overflow(elements, dim, &elements) ||
            elements > (std::uint64_t{1} << 40))
          fail("tensor " + t.name() + ": impossible shape");
      if (tensor.dims.empty() || tensor.address > (std::uint64_t{1} << 40))
        fail("tensor " + t.name() + ": impossible shape or address");
      program_.tensors.push_back(std::move(tensor));
    }
    for (const trace::Queue& q : from.queues())
      program_.queues.push_back(
          {q.name(), enumerator<Engine>(q.engine(), kEngineCount, "engine"),
           enumerator<DescriptorMode>(q.mode(), kDescriptorModes.size(), "descriptor mode"), q.priority()});
    if (from.semaphores_size() > 4096) fail("more than 4096 semaphores");
    program_.semaphores.assign(from.semaphores().begin(), from.semaphores().end());
    for (const trace::Collective& c : from.collectives())
      program_.collectives.push_back(
          {enumerator<CollectiveOp>(c.op(), kCollectiveOps.size(), "collective"), c.axis(), c.bytes(),
           enumerator<DType>(c.dtype(), kDTypes.size(), "dtype"), c.stream(), c.priority()});
    for (const trace::Table& t : from.tables())
      program_.tables.push_back({t.name(), {t.values().begin(), t.values().end()}});
    program_.regions.assign(from.regions().begin(), from.regions().end());
    if (program_.regions.empty()) fail("a program needs a region");
    program_.model_flops = from.model_flops();
    for (const trace::Golden& g : from.goldens()) {
      index(g.tensor(), program_.tensors.size(), "tensor");
      program_.goldens.push_back({g.tensor(), g.expression()});
      const std::string problem = golden_problem(program_.goldens.back(), program_);
      if (!problem.empty()) fail("golden: " + problem);
    }
    program_.golden_tolerance = from.golden_tolerance();
    if (!std::isfinite(program_.golden_tolerance) || program_.golden_tolerance < 0)
      fail("golden: a tolerance is a number from 0 on");
  }

  void stream(const trace::Stream& from) {
    index(from.core(), program_.cores.size(), "core");
    const Engine engine = enumerator<Engine>(from.engine(), kEngineCount, "engine");
    NodeList& nodes = program_.cores[from.core()].streams[index_of(engine)];
    for (const trace::Node& node : from.nodes()) nodes.push_back(read_node(node, 0, 1));
  }

  Node read_node(const trace::Node& from, std::size_t depth, std::uint64_t times) {
    Node node;
    node.repeat = from.repeat();
    if (!node.is_loop()) {
      dynamic_ += times;
      if (dynamic_ > kMaxDynamic) fail("more than 2^48 instructions");
      if (from.body_size() > 0) fail("an instruction with a loop body");
      node.instruction = instruction(from.instruction(), depth);
      return node;
    }
    std::uint64_t inner = 0;
    if (__builtin_mul_overflow(times, node.repeat, &inner) || inner > kMaxDynamic)
      fail("more than 2^48 instructions");
    if (depth + 1 > kMaxDepth) fail("loops nested deeper than " + std::to_string(kMaxDepth));
    if (from.body_size() == 0) fail("a loop without a body");
    for (const trace::Node& child : from.body()) node.body.push_back(read_node(child, depth + 1, inner));
    return node;
  }

  AccessPattern pattern(const trace::Pattern& from) const {
    index(from.tensor(), program_.tensors.size(), "tensor");
    AccessPattern p;
    p.tensor = from.tensor();
    p.rows = from.rows();
    p.row = from.row();
    p.offset = from.offset();
    p.reg = reg(from.register_());
    if (from.steps_size() != from.nums_size() || from.steps_size() > static_cast<int>(p.dims.size()) ||
        p.rows == 0)
      fail("a malformed access pattern");
    for (int d = 0; d < from.steps_size(); ++d) {
      if (from.nums(d) == 0 || from.nums(d) > 0xffffffffu || from.steps(d) > 0x7fffffff ||
          from.steps(d) < -0x7fffffff)
        fail("an access pattern of impossible size");
      p.dims[p.dim_count++] = {static_cast<std::int32_t>(from.steps(d)),
                               static_cast<std::uint32_t>(from.nums(d))};
    }
    return p;
  }

  std::uint8_t reg(std::uint32_t numbered) const {
    if (numbered > kRegisters)
      fail("register " + std::to_string(numbered - 1) + "; there are " + std::to_string(kRegisters));
    return numbered == 0 ? kNoRegister : static_cast<std::uint8_t>(numbered - 1);
  }

  ControlOperands control(const trace::Control& from) const {
    ControlOperands out;
    out.reg = reg(from.register_());
    if (from.semaphore() != 0) {
      index(from.semaphore() - 1, program_.semaphores.size(), "semaphore");
      out.semaphore = static_cast<std::uint16_t>(from.semaphore() - 1);
    }
    if (from.scalars_size() > static_cast<int>(out.scalars.size())) fail("too many scalar operands");
    for (int s = 0; s < from.scalars_size(); ++s)
      out.scalars[static_cast<std::size_t>(s)] = {reg(from.scalars(s).register_()), from.scalars(s).value()};
    out.jump = from.jump();
    return out;
  }

  Instruction instruction(const trace::Instruction& from, std::size_t depth) const {
    const OpcodeInfo* opcode = find_opcode(from.opcode());
    if (opcode == nullptr) fail("unknown opcode number " + std::to_string(from.opcode()));
    Instruction i;
    i.opcode = opcode->opcode;
    if (takes_destination(opcode->operands)) {
      if (!from.has_dst()) fail(std::string(opcode->mnemonic) + " without a destination");
      i.dst = pattern(from.dst());
    }
    const std::size_t sources = static_cast<std::size_t>(from.src_size());
    if (sources < min_sources(opcode->operands) || sources > max_sources(opcode->operands))
      fail(std::string(opcode->mnemonic) + " with " + std::to_string(sources) + " sources");
    for (const trace::Pattern& source : from.src()) i.src[i.source_count++] = pattern(source);
    i.control = control(from.control());
    i.op0 = enumerator<AluOp>(from.op0(), kAluOps.size(), "ALU operation");
    i.op1 = enumerator<AluOp>(from.op1(), kAluOps.size(), "ALU operation");
    i.fn = enumerator<ActFn>(from.fn(), kActFns.size(), "activation function");
    i.accumulate = (from.flags() & trace_format::kAccumulate) != 0;
    i.double_row = (from.flags() & trace_format::kDoubleRow) != 0;
    i.reverse0 = (from.flags() & trace_format::kReverse0) != 0;
    i.reverse1 = (from.flags() & trace_format::kReverse1) != 0;
    i.sparse = (from.flags() & trace_format::kSparse) != 0;
    if (from.kind() > 0) index(from.kind(), opcode->kind_count(), "form");
    i.kind = static_cast<std::uint8_t>(from.kind());
    i.row_reduce = enumerator<RowReduce>(from.row_reduce(), kRowReduces.size(), "row reduction");
    i.reduce_op = enumerator<AluOp>(from.reduce_op(), kAluOps.size(), "ALU operation");
    if (takes_table(*opcode)) index(from.table(), program_.tables.size(), "table");
    i.table = from.table();
    i.tile = {static_cast<std::uint8_t>(from.tile()), static_cast<std::uint8_t>(from.tile() >> 8u),
              static_cast<std::uint8_t>(from.tile() >> 16u), static_cast<std::uint8_t>(from.tile() >> 24u)};
    if (!std::isfinite(from.imm0()) || !std::isfinite(from.imm1())) fail("an immediate that is not finite");
    i.imm0 = from.imm0();
    i.imm1 = from.imm1();
    if (i.opcode == Opcode::kDma) index(from.queue(), program_.queues.size(), "queue");
    i.queue = static_cast<std::uint16_t>(from.queue());
    if (i.opcode == Opcode::kCollective) index(from.collective(), program_.collectives.size(), "collective");
    i.collective = from.collective();
    index(from.region(), program_.regions.size(), "region");
    i.region = from.region();
    wait_and_post(from, i);
    for (const trace::Term& term : from.affine()) {
      index(term.loop(), depth, "loop");
      i.affine.push_back({enumerator<Field>(term.field(), kFieldCount, "field"),
                          static_cast<std::uint8_t>(term.loop()), term.coefficient()});
    }
    return i;
  }

  void wait_and_post(const trace::Instruction& from, Instruction& i) const {
    if (from.wait_semaphore() != 0) {
      index(from.wait_semaphore() - 1, program_.semaphores.size(), "semaphore");
      i.wait = {static_cast<std::uint16_t>(from.wait_semaphore() - 1), reg(from.wait_register()),
                from.wait_value()};
    }
    if (from.post_semaphore() == 0) return;
    index(from.post_semaphore() - 1, program_.semaphores.size(), "semaphore");
    if (from.post_increment() == 0 || from.post_increment() > 1024) fail("a post adds 1 to 1024");
    i.post = {static_cast<std::uint16_t>(from.post_semaphore() - 1),
              static_cast<std::uint16_t>(from.post_increment()),
              (from.flags() & trace_format::kPostAtRead) != 0 ? PostTime::kRead : PostTime::kComplete,
              (from.flags() & trace_format::kPostSibling) != 0};
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw ProgramError(name_ + ": byte " + std::to_string(at_) + ": " + what);
  }

  const std::string& bytes_;
  std::string name_;
  std::size_t at_ = 0;
  std::uint64_t dynamic_ = 0;
  Program program_;
};

}  // namespace

bool is_trace(const std::string& bytes) {
  return bytes.compare(0, trace_format::kMagicBytes, trace_format::kMagic) == 0;
}

Program read_trace(const std::string& bytes, const std::string& name) {
  const google::protobuf::LogSilencer silent;  // what is wrong is said once, by our error
  return Reader(bytes, name).run();
}

}  // namespace trn
