#include "isa/rules.h"

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "isa/bounds.h"
#include "isa/dma_rules.h"

namespace trn {
namespace {

class Checker {
 public:
  Checker(const Program& program, const IsaLimits& limits) : program_(program), limits_(limits) {}

  void run() {
    if (program_.target != limits_.target)
      fail("", "the program is for " + program_.target + ", the machine is " + limits_.machine +
                   (limits_.machine == limits_.target ? "" : ", which runs those for " + limits_.target) +
                   "; change .target or --machine");
    if (program_.cores.size() > limits_.max_cores)
      fail("", "two cores (LNC=2) on a machine that allows " + std::to_string(limits_.max_cores));
    if (program_.semaphores.size() > limits_.semaphores)
      fail("", std::to_string(program_.semaphores.size()) + " semaphores; a core has " +
                   std::to_string(limits_.semaphores));
    if (program_.queues.size() > limits_.queues)
      fail("",
           std::to_string(program_.queues.size()) + " queues; a core has " + std::to_string(limits_.queues));
    for (const TensorDecl& tensor : program_.tensors) check_tensor(tensor);
    for (const QueueDecl& queue : program_.queues) check_queue(queue);
    for (std::size_t c = 0; c < program_.cores.size(); ++c) {
      for (const EngineInfo& engine : kEngines) {
        place_ = "core " + std::to_string(c) + ' ' + std::string(engine.short_name);
        const NodeList& stream = program_.cores[c].streams[index_of(engine.engine)];
        jumps_ = has_jumps(stream);
        check_list(stream, engine.engine);
      }
    }
  }

 private:
  void check_tensor(const TensorDecl& t) {
    if (t.stack != 0 && t.space != Space::kHbm) fail(t.name, "stack= is for tensors in HBM");
    if (t.stack >= limits_.stacks)
      fail(t.name, "stack=" + std::to_string(t.stack) + "; a chip of " + limits_.machine + " has " +
                       std::to_string(limits_.stacks) + ", counted from the rank's own: 0 to " +
                       std::to_string(limits_.stacks - 1));
    if (t.space == Space::kHbm) return;
    const bool sbuf = t.space == Space::kSbuf;
    const std::uint64_t capacity = sbuf ? limits_.sbuf_bytes : limits_.psum_banks * limits_.psum_bank_bytes;
    if (t.rows() > limits_.partitions)
      fail(t.name, std::to_string(t.rows()) + " partitions; " + (sbuf ? "SBUF" : "PSUM") + " has " +
                       std::to_string(limits_.partitions));
    if (t.address + t.row_bytes() > capacity)
      throw CapacityError(program_.name + ": " + t.name + ": ends at byte " +
                          std::to_string(t.address + t.row_bytes()) + " of a partition; " +
                          (sbuf ? "SBUF" : "PSUM") + " has " + std::to_string(capacity));
  }

  void check_queue(const QueueDecl& q) {
    if (q.priority >= limits_.priority_classes)
      fail(q.name, "priority=" + std::to_string(q.priority) + "; " + limits_.machine +
                       (limits_.priority_classes == 1
                            ? " serves its queues in turn, without classes: leave priority= out"
                            : " has classes 0 to " + std::to_string(limits_.priority_classes - 1)));
    if (q.mode == DescriptorMode::kHardware && !limits_.hardware_descriptors)
      fail(q.name, limits_.machine + " has no hardware descriptor generation; use dge=static or dge=sw");
    if (q.mode == DescriptorMode::kHardware && q.engine != Engine::kSync && q.engine != Engine::kScalar)
      fail(q.name, "hardware descriptors are driven by SP or ACT");
    if (q.mode == DescriptorMode::kSoftware && q.engine != Engine::kGpSimd)
      fail(q.name, "software descriptors are made by POOL");
  }

  void check_list(const NodeList& nodes, Engine engine) {
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const Node& node = nodes[n];
      if (!node.is_loop()) {
        check_jump(nodes, n);
        check_instruction(node.instruction, engine);
        continue;
      }
      trips_.push_back(node.repeat);
      check_list(node.body, engine);
      trips_.pop_back();
    }
  }

  // Jumps stay in their list, and LOOP and ENDL belong together.
  void check_jump(const NodeList& nodes, std::size_t at) {
    const Instruction& i = nodes[at].instruction;
    mnemonic_ = info(i.opcode).mnemonic;
    if (i.opcode == Opcode::kCollective && jumps_)
      fail(mnemonic_,
           "in a stream with run-time control flow; how often it runs must be known before the start");
    if (!info(i.opcode).jumps) return;
    const std::int64_t to = static_cast<std::int64_t>(at) + i.control.jump;
    if (i.control.jump == 0 || to < 0 || to > static_cast<std::int64_t>(nodes.size()))
      fail(mnemonic_, "jumps out of its block");
    if (i.opcode == Opcode::kBranch) return;
    const auto partner = static_cast<std::size_t>(to);
    const Opcode other = i.opcode == Opcode::kLoop ? Opcode::kEndLoop : Opcode::kLoop;
    if (partner == nodes.size() || nodes[partner].is_loop() || nodes[partner].instruction.opcode != other ||
        nodes[partner].instruction.control.jump != -i.control.jump ||
        (i.opcode == Opcode::kLoop) != (i.control.jump > 0))
      fail(mnemonic_, "LOOP and ENDL do not match");
  }

  static bool has_jumps(const NodeList& nodes) {
    return std::any_of(nodes.begin(), nodes.end(), [](const Node& n) {
      return n.is_loop() ? has_jumps(n.body) : info(n.instruction.opcode).jumps;
    });
  }

  void check_register(std::uint8_t reg) {
    if (reg >= kRegisters && reg != kNoRegister)
      fail(mnemonic_, "register " + std::to_string(reg) + "; there are " + std::to_string(kRegisters));
  }

  void check_control(const Instruction& i) {
    const Operands operands = info(i.opcode).operands;
    check_register(i.control.reg);
    check_register(i.wait.reg);
    for (const Scalar& scalar : i.control.scalars) check_register(scalar.reg);
    if (operands.reg != (i.control.reg != kNoRegister)) fail(mnemonic_, "needs a register to write");
    if (i.opcode == Opcode::kClearSemaphore && i.control.semaphore >= program_.semaphores.size())
      fail(mnemonic_, "semaphore " + std::to_string(i.control.semaphore) + " is not declared");
    if (i.opcode == Opcode::kLoop && i.control.scalars[2].reg == kNoRegister &&
        i.control.scalars[2].value <= 0)
      fail(mnemonic_, "a step of " + std::to_string(i.control.scalars[2].value) + "; it must grow");
    if (i.opcode == Opcode::kLoop && i.control.scalars[2].reg != kNoRegister)
      fail(mnemonic_, "the step is a number, not a register");
    if (i.opcode == Opcode::kBranch && i.op0 != AluOp::kNone && !is_comparison(i.op0))
      fail(mnemonic_, "the condition is is_eq, is_ne, is_ge, is_gt, is_le or is_lt");
    if (i.opcode == Opcode::kAluRegister && !works_on_registers(i.op0))
      fail(mnemonic_, std::string(kAluOps[static_cast<std::size_t>(i.op0)]) + " does not work on registers");
    for (const AccessPattern* p : {&i.dst, &i.src[0]}) {
      if (i.opcode != Opcode::kLoadRegister && i.opcode != Opcode::kStoreRegister) continue;
      if (i.opcode == Opcode::kLoadRegister ? p == &i.dst : p != &i.dst) continue;
      if (space(*p) != Space::kSbuf || dtype(*p) != DType::kInt32 || p->rows != 1 ||
          p->elements_per_row() != 1)
        fail(mnemonic_, "takes one int32 element of SBUF");
    }
  }

  void check_dynamic(const Instruction& i) {
    if (!i.dynamic()) return;
    if (i.opcode == Opcode::kDma && program_.queues[i.queue].mode == DescriptorMode::kStatic)
      fail(mnemonic_, "static descriptors hold fixed addresses; a register needs dge=hw or dge=sw");
  }

  void check_instruction(const Instruction& i, Engine engine) {
    const OpcodeInfo& opcode = info(i.opcode);
    mnemonic_ = opcode.mnemonic;
    check_control(i);
    if ((opcode.engines(limits_.version) & mask_of(engine)) == 0)
      fail(mnemonic_, "does not run on this engine of a NeuronCore-v" + std::to_string(limits_.version));
    if (i.post.sibling && program_.cores.size() < 2)
      fail(mnemonic_, "posts to a sibling core, the program has one core");
    if (takes_destination(opcode.operands)) {
      check_operand(i.dst, engine, "destination");
      check_bounds(i, i.dst, Field::kDstRow, Field::kDstOffset);
    }
    for (std::size_t s = 0; s < i.source_count; ++s) {
      check_operand(i.src[s], engine, "source");
      check_bounds(i, i.src[s], kSourceRows[s], kSourceOffsets[s]);
    }
    check_forms(i);
    check_register(i.dst.reg);
    for (const AccessPattern& source : i.src) check_register(source.reg);
    switch (i.opcode) {
      case Opcode::kLoadWeightsMx:
      case Opcode::kMatmulMx:
        check_mx(i);
        break;
      case Opcode::kLoadWeights:
        check_weights(i);
        break;
      case Opcode::kMatmul:
        check_matmul(i);
        break;
      case Opcode::kTranspose:
        check_transpose(i, engine);
        break;
      case Opcode::kTensorTensor:
      case Opcode::kScalarTensorTensor:
      case Opcode::kScan:
      case Opcode::kCopyPredicated:
      case Opcode::kSelectReduce:
        if (space(i.src[0]) == Space::kPsum && space(i.src[1]) == Space::kPsum)
          fail(mnemonic_, "two PSUM sources; one may be in PSUM");
        if (i.src[0].elements_per_row() != i.src[1].elements_per_row())
          fail(mnemonic_, "sources of " + std::to_string(i.src[0].elements_per_row()) + " and " +
                              std::to_string(i.src[1].elements_per_row()) + " elements a partition");
        break;
      case Opcode::kDma:
        check_dma(i, engine);
        break;
      default:
        check_data_path(i);
        break;
    }
  }

  Space space(const AccessPattern& p) const { return program_.tensors[p.tensor].space; }

  void check_operand(const AccessPattern& p, Engine engine, const char* what) {
    const TensorDecl& t = program_.tensors[p.tensor];
    if (mnemonic_ == "DMA") return;
    if (t.space == Space::kHbm)
      fail(mnemonic_, std::string(what) + ' ' + t.name + " is in HBM; only DMA reaches HBM");
    if (t.space == Space::kPsum && engine == Engine::kGpSimd)
      fail(mnemonic_, t.name + " is in PSUM; GpSimd does not reach PSUM");
    const std::uint64_t step = p.rows > 64 ? limits_.partitions : p.rows > 32 ? 64 : 32;
    if (static_cast<std::uint64_t>(p.row) % step != 0)
      fail(mnemonic_, std::to_string(p.rows) + " partitions starting at " + std::to_string(p.row) +
                          "; more than 64 start at 0, more than 32 at 0 or 64, others at a multiple of 32");
  }

  void check_bounds(const Instruction& i, const AccessPattern& p, Field row, Field offset) {
    const auto range = [&](Field field) {
      terms_.clear();
      for (const AffineTerm& term : i.affine)
        if (term.field == field) terms_.emplace_back(term.coefficient, trips_[term.loop]);
      return affine_range(i.field(field), terms_);
    };
    const std::string problem = bounds_problem(p, program_.tensors[p.tensor], range(row), range(offset));
    if (!problem.empty()) fail(mnemonic_, problem);
  }

  // Scalar sources, bit operations, and limits that the table of operands does not say.
  void check_forms(const Instruction& i) {
    for (std::size_t s = first_scalar_source(i); s < i.source_count; ++s)
      if (i.src[s].elements_per_row() != 1)
        fail(mnemonic_, "source " + std::to_string(s + 1) + " is a scalar: one element a partition, found " +
                            std::to_string(i.src[s].elements_per_row()));
    if ((is_bitwise(i.op0) || is_bitwise(i.op1)) && i.source_count > 0 && info(dtype(i.src[0])).floating)
      fail(mnemonic_, "bit operations take integers, found " + std::string(info(dtype(i.src[0])).name));
    if (takes_table(info(i.opcode)) && i.table >= program_.tables.size())
      fail(mnemonic_, "table " + std::to_string(i.table) + " is not declared");
    if (i.row_reduce != RowReduce::kIdle && !reduces_rows(i.opcode))
      fail(mnemonic_, "rc=: this instruction has no row accumulators");
  }

  static std::size_t first_scalar_source(const Instruction& i) {
    switch (i.opcode) {
      case Opcode::kTensorScalar:
      case Opcode::kActivation:
      case Opcode::kExponential:
      case Opcode::kRangeSelect:
        return 1;
      case Opcode::kScalarTensorTensor:
      case Opcode::kScan:
      case Opcode::kSelectReduce:
        return 2;
      default:
        return 3;
    }
  }
  static bool reduces_rows(Opcode opcode) {
    return opcode == Opcode::kTensorScalar || opcode == Opcode::kActivation ||
           opcode == Opcode::kExponential || opcode == Opcode::kRangeSelect ||
           opcode == Opcode::kSelectReduce;
  }

  void check_data_path(const Instruction& i) {
    const std::uint64_t n = i.source_count > 0 ? i.src[0].elements_per_row() : 0;
    switch (i.opcode) {
      case Opcode::kMax8:
      case Opcode::kFindIndex8:
      case Opcode::kMatchReplace8:
        if (n < 8 || n > 16384) fail(mnemonic_, std::to_string(n) + " elements a partition; 8 to 16384");
        break;
      case Opcode::kBnStats:
        if (n > 512 || i.dst.elements_per_row() != 6)
          fail(mnemonic_, std::to_string(n) + " elements into " + std::to_string(i.dst.elements_per_row()) +
                              "; up to 512 into 6");
        break;
      case Opcode::kBnAggregate:
        if (n % 3 != 0 || i.dst.elements_per_row() != 2)
          fail(mnemonic_, std::to_string(n) + " elements into " + std::to_string(i.dst.elements_per_row()) +
                              "; triples into 2");
        break;
      case Opcode::kReduce:
        if (n % i.dst.elements_per_row() != 0)
          fail(mnemonic_, std::to_string(n) + " elements into " + std::to_string(i.dst.elements_per_row()) +
                              ": not the same number for each");
        break;
      case Opcode::kShuffle:
        check_mask(i);
        break;
      case Opcode::kQuantizeMx:
        if (i.src[0].rows % 32 != 0 || n % 4 != 0 || !is_mx(dtype(i.dst)) || !is_16bit_float(dtype(i.src[0])))
          fail(mnemonic_, "needs bf16 or fp16 of 32 x k partitions and 4 x k elements into an x4 type");
        if (dtype(i.dst) == DType::kFp4E2M1X4 && !limits_.quantize_mxfp4)
          fail(mnemonic_, limits_.machine + " quantises to FP8 only; use an fp8 x4 type");
        break;
      case Opcode::kGenerate:
        if (program_.tables[i.table].values.size() < 2 + i.dst.dim_count)
          fail(mnemonic_, "the table needs an offset, a factor of the partition and a step a dimension");
        break;
      default:
        break;
    }
  }

  void check_mask(const Instruction& i) {
    const std::vector<std::int64_t>& mask = program_.tables[i.table].values;
    bool valid = mask.size() == 32;
    for (const std::int64_t from : mask) valid = valid && from >= 0 && (from < 32 || from == 255);
    if (!valid) fail(mnemonic_, "the mask has 32 entries of 0 to 31, or 255");
  }

  void check_mx(const Instruction& i) {
    if (!is_mx(dtype(i.src[0])) || dtype(i.src[1]) != DType::kE8M0)
      fail(mnemonic_, "needs an x4 operand and e8m0 scales");
    if (i.src[0].rows % 32 != 0) fail(mnemonic_, "partitions in groups of 32");
    const std::uint64_t columns = i.src[0].elements_per_row();
    if (i.opcode == Opcode::kLoadWeightsMx) {
      if (columns > limits_.array_columns || columns % 2 != 0)
        fail(mnemonic_, std::to_string(columns) + " columns; an even number up to " +
                            std::to_string(limits_.array_columns));
      return;
    }
    check_psum_destination(i, columns);
  }

  DType dtype(const AccessPattern& p) const { return program_.tensors[p.tensor].dtype; }

  void check_psum_destination(const Instruction& i, std::uint64_t columns) {
    if (space(i.dst) != Space::kPsum) fail(mnemonic_, "the destination must be in PSUM");
    const DType to = dtype(i.dst);
    if (to != DType::kFp32 && (limits_.version < 4 || to != DType::kBf16))
      fail(mnemonic_, "PSUM destinations are fp32" + std::string(limits_.version < 4 ? "" : " or bf16") +
                          ", found " + std::string(info(to).name));
    const std::uint64_t most = limits_.moving_max * (to == DType::kBf16 ? 2 : 1);
    if (columns > most)
      fail(mnemonic_, std::to_string(columns) + " moving columns; " + limits_.machine + " takes up to " +
                          std::to_string(most));
    if (columns != i.dst.elements_per_row())
      fail(mnemonic_, std::to_string(columns) + " moving columns into " +
                          std::to_string(i.dst.elements_per_row()) + " PSUM elements a partition");
  }

  void check_tile(const Instruction& i) {
    if (i.tile.whole()) return;
    const std::uint64_t least = limits_.min_tile / 32;
    const auto fits = [&](std::uint64_t at, std::uint64_t size) {
      return size >= least && at % least == 0 && at + size <= limits_.array_rows / 32;
    };
    if (!fits(i.tile.row, i.tile.rows) || !fits(i.tile.column, i.tile.columns))
      fail(mnemonic_, "tile= leaves the array, or is smaller than " + std::to_string(limits_.min_tile));
    if (i.double_row) fail(mnemonic_, "dr=1 and tile= exclude each other");
  }

  void check_weights(const Instruction& i) {
    if (space(i.src[0]) != Space::kSbuf) fail(mnemonic_, "weights must come from SBUF");
    check_double_row(i);
    check_tile(i);
    const std::uint64_t columns = i.src[0].elements_per_row() / (i.double_row ? 2 : 1);
    if (columns > limits_.array_columns)
      fail(mnemonic_,
           std::to_string(columns) + " columns; the array has " + std::to_string(limits_.array_columns));
  }

  void check_matmul(const Instruction& i) {
    if (space(i.src[0]) != Space::kSbuf) fail(mnemonic_, "the moving operand must come from SBUF");
    check_double_row(i);
    check_tile(i);
    check_psum_destination(i, i.src[0].elements_per_row() / (i.double_row ? 2 : 1));
  }

  void check_array_dtype(const Instruction& i) {
    const DTypeInfo& dtype = info(program_.tensors[i.src[0].tensor].dtype);
    if (!dtype.floating)
      fail(mnemonic_,
           std::string(dtype.name) + " operand; the array multiplies fp8, bf16, fp16, tf32 and fp32");
  }

  void check_double_row(const Instruction& i) {
    check_array_dtype(i);
    if (i.sparse && !limits_.sparsity)
      fail(mnemonic_, "sp=1: " + limits_.machine + " has no structured sparsity");
    if (i.sparse && i.double_row) fail(mnemonic_, "dr=1 and sp=1 exclude each other");
    if (!i.double_row) return;
    if (!limits_.double_row) fail(mnemonic_, "dr=1: " + limits_.machine + " has no FP8 double row");
    if (!is_fp8(program_.tensors[i.src[0].tensor].dtype)) fail(mnemonic_, "dr=1 needs an fp8 operand");
  }

  void check_transpose(const Instruction& i, Engine engine) {
    const std::uint64_t limit = engine == Engine::kTensor ? 128 : 32;
    if (i.src[0].rows > limit || (engine == Engine::kTensor && i.src[0].elements_per_row() > limit))
      fail(mnemonic_, "larger than " + std::to_string(limit) + "x" + std::to_string(limit));
    if (engine == Engine::kTensor && space(i.dst) != Space::kPsum)
      fail(mnemonic_, "the destination must be in PSUM");
  }

  void check_dma(const Instruction& i, Engine engine) {
    if (i.queue >= program_.queues.size())
      fail(mnemonic_, "queue " + std::to_string(i.queue) + " is not declared");
    if (program_.queues[i.queue].engine != engine)
      fail(mnemonic_, "queue " + program_.queues[i.queue].name + " belongs to " +
                          std::string(short_name(program_.queues[i.queue].engine)));
    bool psum = space(i.dst) == Space::kPsum;
    for (std::size_t s = 0; s < i.source_count; ++s) psum = psum || space(i.src[s]) == Space::kPsum;
    if (psum) fail(mnemonic_, "DMA does not reach PSUM");
    const std::uint64_t from = i.src[0].elements_per_row() * i.src[0].rows;
    const std::uint64_t to = i.dst.elements_per_row() * i.dst.rows;
    if (from != to) fail(mnemonic_, std::to_string(from) + " elements into " + std::to_string(to));
    check_dynamic(i);
    if (i.kind == static_cast<std::uint8_t>(DmaKind::kSend)) {
      if (program_.cores.size() < 2) fail(mnemonic_, "send: the program has one core");
      if (space(i.dst) != Space::kSbuf || space(i.src[0]) != Space::kSbuf)
        fail(mnemonic_, "send goes from SBUF to the other core's SBUF");
    }
    const std::string problem = dma_problem(i, program_);
    if (!problem.empty()) fail(mnemonic_, problem);
    if (i.kind != static_cast<std::uint8_t>(DmaKind::kTranspose)) return;
    if (!limits_.dma_transpose) fail(mnemonic_, limits_.machine + " has no DMA transpose; use TRP");
    if (!limits_.dma_transpose_sbuf && space(i.src[0]) == Space::kSbuf)
      fail(mnemonic_, limits_.machine + " transposes from HBM only");
  }

  [[noreturn]] void fail(std::string_view subject, const std::string& what) const {
    std::string where = program_.name;
    if (!place_.empty()) where += ": " + place_;
    if (!subject.empty()) where += (place_.empty() ? ": " : " ") + std::string(subject);
    throw ProgramError(where + ": " + what);
  }

  const Program& program_;
  const IsaLimits& limits_;
  std::string place_;
  std::string_view mnemonic_;
  bool jumps_ = false;                                         // the stream has run-time control flow
  std::vector<std::uint64_t> trips_;                           // of the loops around the instruction
  std::vector<std::pair<std::int64_t, std::uint64_t>> terms_;  // of the field being checked
};

}  // namespace

void check_program(const Program& program, const IsaLimits& limits) { Checker(program, limits).run(); }

}  // namespace trn
