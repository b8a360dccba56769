#include "isa/rules.h"

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "isa/bounds.h"

namespace trn {
namespace {

class Checker {
 public:
  Checker(const Program& program, const IsaLimits& limits) : program_(program), limits_(limits) {}

  void run() {
    if (program_.target != limits_.machine)
      fail("", "the program is for " + program_.target + ", the machine is " + limits_.machine +
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
        check_list(program_.cores[c].streams[index_of(engine.engine)], engine.engine);
      }
    }
  }

 private:
  void check_tensor(const TensorDecl& t) {
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
    if (q.mode == DescriptorMode::kHardware && !limits_.hardware_descriptors)
      fail(q.name, limits_.machine + " has no hardware descriptor generation; use dge=static or dge=sw");
    if (q.mode == DescriptorMode::kHardware && q.engine != Engine::kSync && q.engine != Engine::kScalar)
      fail(q.name, "hardware descriptors are driven by SP or ACT");
    if (q.mode == DescriptorMode::kSoftware && q.engine != Engine::kGpSimd)
      fail(q.name, "software descriptors are made by POOL");
  }

  void check_list(const NodeList& nodes, Engine engine) {
    for (const Node& node : nodes) {
      if (!node.is_loop()) {
        check_instruction(node.instruction, engine);
        continue;
      }
      trips_.push_back(node.repeat);
      check_list(node.body, engine);
      trips_.pop_back();
    }
  }

  void check_instruction(const Instruction& i, Engine engine) {
    const OpcodeInfo& opcode = info(i.opcode);
    mnemonic_ = opcode.mnemonic;
    if ((opcode.engines & mask_of(engine)) == 0) fail(mnemonic_, "does not run on this engine");
    if (i.post.sibling && program_.cores.size() < 2)
      fail(mnemonic_, "posts to a sibling core, the program has one core");
    if (takes_destination(opcode.operands)) {
      check_operand(i.dst, engine, "destination");
      check_bounds(i, i.dst, Field::kDstRow, Field::kDstOffset);
    }
    for (std::size_t s = 0; s < i.source_count; ++s) {
      check_operand(i.src[s], engine, "source");
      check_bounds(i, i.src[s], s == 0 ? Field::kSrc0Row : Field::kSrc1Row,
                   s == 0 ? Field::kSrc0Offset : Field::kSrc1Offset);
    }
    switch (i.opcode) {
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
        if (space(i.src[0]) == Space::kPsum && space(i.src[1]) == Space::kPsum)
          fail(mnemonic_, "two PSUM sources; one may be in PSUM");
        break;
      case Opcode::kDma:
        check_dma(i, engine);
        break;
      default:
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

  void check_weights(const Instruction& i) {
    if (space(i.src[0]) != Space::kSbuf) fail(mnemonic_, "weights must come from SBUF");
    check_double_row(i);
    const std::uint64_t columns = i.src[0].elements_per_row() / (i.double_row ? 2 : 1);
    if (columns > limits_.array_columns)
      fail(mnemonic_,
           std::to_string(columns) + " columns; the array has " + std::to_string(limits_.array_columns));
  }

  void check_matmul(const Instruction& i) {
    if (space(i.src[0]) != Space::kSbuf) fail(mnemonic_, "the moving operand must come from SBUF");
    if (space(i.dst) != Space::kPsum) fail(mnemonic_, "the destination must be in PSUM");
    check_double_row(i);
    const std::uint64_t columns = i.src[0].elements_per_row() / (i.double_row ? 2 : 1);
    if (columns > limits_.moving_max)
      fail(mnemonic_, std::to_string(columns) + " moving columns; " + limits_.machine + " takes up to " +
                          std::to_string(limits_.moving_max));
    if (columns != i.dst.elements_per_row())
      fail(mnemonic_, std::to_string(columns) + " moving columns into " +
                          std::to_string(i.dst.elements_per_row()) + " PSUM elements a partition");
  }

  void check_array_dtype(const Instruction& i) {
    const DTypeInfo& dtype = info(program_.tensors[i.src[0].tensor].dtype);
    if (!dtype.floating)
      fail(mnemonic_,
           std::string(dtype.name) + " operand; the array multiplies fp8, bf16, fp16, tf32 and fp32");
  }

  void check_double_row(const Instruction& i) {
    check_array_dtype(i);
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
    if (space(i.dst) == Space::kPsum || space(i.src[0]) == Space::kPsum)
      fail(mnemonic_, "DMA does not reach PSUM");
    const std::uint64_t from = i.src[0].elements_per_row() * i.src[0].rows;
    const std::uint64_t to = i.dst.elements_per_row() * i.dst.rows;
    if (from != to) fail(mnemonic_, std::to_string(from) + " elements into " + std::to_string(to));
    if (!i.transpose) return;
    if (!limits_.dma_transpose) fail(mnemonic_, limits_.machine + " has no DMA transpose; use TRP");
    const std::uint32_t width = size_of(program_.tensors[i.src[0].tensor].dtype);
    if (width != 2 && width != 4) fail(mnemonic_, "DMA transposes elements of 2 or 4 bytes");
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
  std::vector<std::uint64_t> trips_;                           // of the loops around the instruction
  std::vector<std::pair<std::int64_t, std::uint64_t>> terms_;  // of the field being checked
};

}  // namespace

void check_program(const Program& program, const IsaLimits& limits) { Checker(program, limits).run(); }

}  // namespace trn
