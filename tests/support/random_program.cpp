#include "tests/support/random_program.h"

#include <iterator>
#include <random>

#include "isa/compress.h"

namespace trn {
namespace {

class Generator {
 public:
  explicit Generator(const RandomProgramOptions& options) : options_(options), random_(options.seed) {}

  Program run() {
    program_.name = "random";
    program_.target = "trn2";
    program_.tensors = {{"h", Space::kHbm, DType::kBf16, {4096, 4096}, 0},
                        {"s16", Space::kSbuf, DType::kBf16, {128, 4096}, 0},
                        {"s32", Space::kSbuf, DType::kFp32, {128, 4096}, 8192},
                        {"p", Space::kPsum, DType::kFp32, {128, 4096}, 0},
                        {"next", Space::kHbm, DType::kBf16, {4096, 4096}, 0, 1},
                        {"far", Space::kHbm, DType::kBf16, {4096, 4096}, 0, 2},
                        {"rows", Space::kSbuf, DType::kInt32, {128, 1}, 24576}};
    program_.queues = {{"sp", Engine::kSync, DescriptorMode::kHardware, 0},
                       {"sp2", Engine::kSync, DescriptorMode::kStatic, 0},
                       {"act", Engine::kScalar, DescriptorMode::kHardware, 0},
                       {"pool", Engine::kGpSimd, DescriptorMode::kSoftware, 0},
                       {"pe", Engine::kTensor, DescriptorMode::kStatic, 0}};
    for (int i = 0; i < 12; ++i) program_.semaphores.push_back("s" + std::to_string(i));
    program_.tables = {{"pattern", {0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                                    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 255}}};
    program_.cores.resize(options_.cores);
    posted_.assign(options_.cores, std::vector<std::int64_t>(program_.semaphores.size(), 0));
    for (std::size_t b = 0; b < options_.bodies; ++b) body();
    for (CoreProgram& core : program_.cores)
      for (NodeList& stream : core.streams) compress(stream);
    return std::move(program_);
  }

 private:
  struct Step {
    std::size_t core;
    Engine engine;
    Instruction instruction;
    std::int64_t lag = 0;     // the wait asks for what was posted before, less this
    std::uint32_t trips = 0;  // of a run-time loop: how often, and what stands in it
    std::uint32_t skipped = 0;
    std::vector<Instruction> loop;
  };

  std::uint64_t pick(std::uint64_t n) { return random_() % n; }

  void body() {
    std::vector<Step> steps;
    for (std::size_t i = 0; i < options_.body_size; ++i)
      steps.push_back(options_.control && pick(4) == 0 ? control_step() : step());
    for (std::size_t iteration = 0; iteration < 1 + pick(options_.iterations); ++iteration) {
      for (const Step& s : steps) {
        if (!s.loop.empty()) {
          emit_loop(s);
          continue;
        }
        Node node;
        node.instruction = s.instruction;
        Instruction& i = node.instruction;
        if (i.wait.semaphore != kNoSemaphore) i.wait.value = posted_[s.core][i.wait.semaphore] - s.lag;
        if (i.post.semaphore != kNoSemaphore)
          posted_[i.post.sibling ? 1 - s.core : s.core][i.post.semaphore] += i.post.increment;
        program_.cores[s.core].streams[index_of(s.engine)].push_back(std::move(node));
      }
    }
  }

  // Registers at work: a loop of known length around an instruction with dynamic operands, a wait for a value
  // that grows with the loop, and a post that a branch skips once. Now and then a semaphore is cleared: such
  // programs may deadlock.
  Step control_step() {
    Step s = step();
    if (pick(6) == 0) {
      s.instruction = {};
      s.instruction.opcode = Opcode::kClearSemaphore;
      s.instruction.control.semaphore = static_cast<std::uint16_t>(pick(program_.semaphores.size()));
      return s;
    }
    const auto at = static_cast<std::uint8_t>(pick(8));
    const auto end = static_cast<std::int32_t>(pick(6));
    const auto by = static_cast<std::int32_t>(1 + pick(2));
    const auto without = static_cast<std::int32_t>(pick(4));
    s.trips = static_cast<std::uint32_t>((end + by - 1) / by);
    s.skipped = without < end && without % by == 0 ? 1 : 0;
    Instruction bound, loop, branch, post, wait, close;
    bound.opcode = Opcode::kAluRegister;
    bound.op0 = AluOp::kAdd;
    bound.control.reg = 9;
    bound.control.scalars = {Scalar{kNoRegister, end}, Scalar{kNoRegister, 0}, Scalar{}};
    loop.opcode = Opcode::kLoop;
    loop.control.reg = at;
    loop.control.scalars = {Scalar{kNoRegister, 0}, Scalar{9, 0}, Scalar{kNoRegister, by}};
    loop.control.jump = 5;
    branch.opcode = Opcode::kBranch;
    branch.op0 = AluOp::kIsEqual;
    branch.control.scalars = {Scalar{at, 0}, Scalar{kNoRegister, without}, Scalar{}};
    branch.control.jump = 2;
    post.opcode = Opcode::kPost;
    post.post.semaphore = static_cast<std::uint16_t>(pick(program_.semaphores.size()));
    wait.opcode = Opcode::kWait;
    wait.wait = {static_cast<std::uint16_t>(pick(program_.semaphores.size())), at, 0};
    close.opcode = Opcode::kEndLoop;
    close.control.jump = -5;
    Instruction& work = s.instruction;
    work.wait = {};
    if (work.opcode == Opcode::kWait) work.opcode = Opcode::kNop;
    if (work.opcode != Opcode::kDma && takes_destination(info(work.opcode).operands) && pick(2) == 0)
      work.dst.reg = at;
    if (work.opcode != Opcode::kDma && work.source_count > 0 && pick(2) == 0) work.src[0].reg = at;
    s.loop = {bound, loop, wait, branch, post, work, close};
    s.loop[1].control.jump = static_cast<std::int32_t>(s.loop.size()) - 2;
    s.loop.back().control.jump = -s.loop[1].control.jump;
    return s;
  }

  void emit_loop(const Step& s) {
    for (Instruction i : s.loop) {
      if (i.opcode == Opcode::kWait) i.wait.value = posted_[s.core][i.wait.semaphore] - 6;
      if (i.post.semaphore != kNoSemaphore)
        posted_[i.post.sibling ? 1 - s.core : s.core][i.post.semaphore] +=
            i.post.increment * std::int64_t{s.trips - (i.opcode == Opcode::kPost ? s.skipped : 0)};
      Node node;
      node.instruction = std::move(i);
      program_.cores[s.core].streams[index_of(s.engine)].push_back(std::move(node));
    }
  }

  AccessPattern pattern(std::uint32_t tensor, std::uint64_t elements, std::int64_t offset) {
    AccessPattern p;
    p.tensor = tensor;
    p.rows = 128;
    p.offset = offset;
    p.dim_count = 1;
    p.dims[0] = {pick(4) == 0 && elements <= 512 ? 2 : 1, elements};
    return p;
  }
  AccessPattern sbuf() { return pattern(static_cast<std::uint32_t>(1 + pick(2)), 32 + pick(700), 0); }
  AccessPattern psum() { return pattern(3, 1 + pick(256), static_cast<std::int64_t>(512 * pick(4))); }
  AccessPattern like(AccessPattern p, bool in_psum) {
    AccessPattern q = in_psum ? psum() : sbuf();
    q.dims[0].num = p.dims[0].num;
    return q;
  }

  Step step() {
    Step s;
    s.core = pick(options_.cores);
    s.engine = static_cast<Engine>(pick(kEngineCount));
    Instruction& i = s.instruction;
    switch (s.engine) {
      case Engine::kTensor:
        tensor(i);
        break;
      case Engine::kVector:
        vector(i);
        break;
      case Engine::kScalar:
        scalar(i);
        break;
      case Engine::kGpSimd:
        gpsimd(i);
        break;
      case Engine::kSync:
        dma(i, static_cast<std::uint16_t>(pick(2)));
        break;
    }
    if (pick(2) == 0) {
      i.wait.semaphore = static_cast<std::uint16_t>(pick(program_.semaphores.size()));
      s.lag = static_cast<std::int64_t>(pick(3) * pick(20));
    }
    if (i.opcode == Opcode::kDma || pick(2) == 0) {
      i.post.semaphore = static_cast<std::uint16_t>(pick(program_.semaphores.size()));
      i.post.increment = i.opcode == Opcode::kDma ? 16 : static_cast<std::uint16_t>(1 + pick(3));
      i.post.when = i.opcode != Opcode::kDma && pick(2) == 0 ? PostTime::kRead : PostTime::kComplete;
      i.post.sibling = options_.cores == 2 && pick(3) == 0;
    }
    if (i.opcode == Opcode::kWait && i.wait.semaphore == kNoSemaphore) i.opcode = Opcode::kNop;
    if (i.opcode == Opcode::kPost && i.post.semaphore == kNoSemaphore) i.opcode = Opcode::kNop;
    return s;
  }

  void tensor(Instruction& i) {
    switch (pick(6)) {
      case 0:
        i.opcode = Opcode::kLoadWeights;
        i.src[0] = pattern(1, 1 + pick(128), 0);
        i.source_count = 1;
        tile(i);
        break;
      case 1:
        dma(i, 4);
        break;
      case 2:
        i.opcode = Opcode::kWait;
        break;
      case 3:
        i.opcode = Opcode::kTranspose;
        i.source_count = 1;
        i.src[0] = pattern(1, 1 + pick(128), 0);
        i.src[0].dims[0].step = 1;
        i.dst = psum();
        i.dst.rows = static_cast<std::uint32_t>(i.src[0].dims[0].num);
        i.dst.dims[0] = {1, 128};
        i.dst.offset = static_cast<std::int64_t>(512 * pick(4));
        break;
      default: {
        i.opcode = Opcode::kMatmul;
        i.source_count = 1;
        i.src[0] = pattern(static_cast<std::uint32_t>(1 + pick(2)), 1 + pick(512), 0);
        i.src[0].dims[0].step = 1;
        i.dst = psum();
        i.dst.dims[0] = {1, i.src[0].dims[0].num};
        i.dst.offset = static_cast<std::int64_t>(512 * pick(4));
        tile(i);
      }
    }
  }

  // In some programs, parts of the array.
  void tile(Instruction& i) {
    if (options_.seed % 4 != 0 || pick(2) == 0) return;
    const std::uint64_t size = 1 + pick(4);
    const auto at = [&] { return static_cast<std::uint8_t>(pick(5 - size)); };
    i.tile = {at(), at(), static_cast<std::uint8_t>(size), static_cast<std::uint8_t>(size)};
  }

  void vector(Instruction& i) {
    const Opcode opcodes[] = {Opcode::kCopy,
                              Opcode::kTensorTensor,
                              Opcode::kTensorScalar,
                              Opcode::kReduce,
                              Opcode::kReciprocal,
                              Opcode::kFill,
                              Opcode::kPost,
                              Opcode::kScan,
                              Opcode::kCopyPredicated,
                              Opcode::kCumulate,
                              Opcode::kScalarTensorTensor,
                              Opcode::kRangeSelect,
                              Opcode::kShuffle,
                              Opcode::kSelectReduce,
                              Opcode::kTranspose,
                              Opcode::kReadAccumulator};
    i.opcode = opcodes[pick(std::size(opcodes))];
    if (i.opcode == Opcode::kPost) return;
    i.dst = pick(2) == 0 ? psum() : sbuf();
    if (i.opcode == Opcode::kReadAccumulator) i.dst.dims[0] = {1, 1};
    if (i.opcode == Opcode::kTranspose) i.dst.rows = 32;
    const Operands operands = info(i.opcode).operands;
    i.source_count = static_cast<std::uint8_t>(
        operands.min_sources + pick(operands.max_sources - operands.min_sources + std::uint64_t{1}));
    for (std::size_t s = 0; s < i.source_count; ++s) {
      i.src[s] = like(i.dst, s == 0 && pick(2) == 0);
      const bool scalar =
          s == 2 || (s == 1 && (i.opcode == Opcode::kTensorScalar || i.opcode == Opcode::kRangeSelect));
      if (scalar) i.src[s].dims[0] = {1, 1};
      if (i.opcode == Opcode::kTranspose) i.src[s].rows = 32;
    }
    i.op0 = i.op1 = AluOp::kAdd;
    if (i.opcode == Opcode::kTensorScalar && pick(2) == 0) i.row_reduce = RowReduce::kReset;
  }

  void scalar(Instruction& i) {
    if (pick(5) == 0) return dma(i, 2);
    i.opcode = pick(4) == 0 ? Opcode::kCopy : Opcode::kActivation;
    i.dst = pick(2) == 0 ? psum() : sbuf();
    i.src[0] = like(i.dst, pick(2) == 0);
    i.source_count = 1;
    if (i.opcode == Opcode::kActivation) i.fn = kActFns[pick(kActFns.size())].fn;
  }

  void gpsimd(Instruction& i) {
    if (pick(4) == 0) return dma(i, 3);
    const Opcode opcodes[] = {Opcode::kGenerate, Opcode::kCopy, Opcode::kPartition, Opcode::kTensorTensor};
    i.opcode = opcodes[pick(std::size(opcodes))];
    if (i.opcode == Opcode::kPartition) i.kind = static_cast<std::uint8_t>(pick(info(i.opcode).kind_count()));
    i.dst = sbuf();
    if (i.opcode == Opcode::kTensorTensor) i.src[1] = like(i.dst, false);
    i.src[0] = like(i.dst, false);
    i.source_count = i.opcode == Opcode::kTensorTensor ? 2 : 1;
  }

  void dma(Instruction& i, std::uint16_t queue) {
    i.opcode = Opcode::kDma;
    i.queue = queue;
    i.source_count = 1;
    const std::uint64_t elements = 16 + pick(1000);
    i.dst = pattern(1, elements, 0);
    i.src[0] = pattern(0, elements, 0);
    i.dst.dims[0].step = i.src[0].dims[0].step = 1;
    i.dst.rows = i.src[0].rows = pick(2) == 0 ? 128 : static_cast<std::uint32_t>(1 + pick(32));
    dma_kind(i);
  }

  // Copies in both directions, half of them; else another form, or another place.
  void dma_kind(Instruction& i) {
    const bool by_number = program_.queues[i.queue].mode == DescriptorMode::kSoftware;
    if (by_number && pick(2) == 0) return dma_by_number(i);
    if (pick(2) == 0) i.src[0].tensor = static_cast<std::uint32_t>(pick(3) == 0 ? 4 + pick(2) : 0);
    switch (pick(10)) {
      case 0:
        i.kind = static_cast<std::uint8_t>(DmaKind::kAccumulate);
        break;
      case 1:  // inside SBUF
        i.src[0].tensor = static_cast<std::uint32_t>(1 + pick(2));
        return;
      case 2:  // inside HBM
        i.dst.tensor = static_cast<std::uint32_t>(4 + pick(2));
        return;
      case 3:
        i.kind = static_cast<std::uint8_t>(DmaKind::kTranspose);
        i.src[0].tensor = pick(2) == 0 ? 1 : i.src[0].tensor;
        i.src[0].dims[0].num = 1 + i.src[0].dims[0].num % 128;
        i.dst.rows = i.src[0].dims[0].num;
        i.dst.dims[0].num = i.src[0].rows;
        return;
      case 4:
        i.kind = static_cast<std::uint8_t>(DmaKind::kDuplicate);
        i.source_count = 2;
        i.src[1] = i.dst;
        i.src[1].tensor = pick(2) == 0 ? 0 : 5;
        break;
      default:
        break;
    }
    if (i.source_count == 1 && pick(2) == 0) std::swap(i.dst, i.src[0]);
  }

  void dma_by_number(Instruction& i) {
    i.source_count = 2;
    i.src[1] = pattern(6, 1, 0);
    i.src[1].dims[0] = {1, 1};
    i.src[1].rows = i.dst.rows;
    i.kind = static_cast<std::uint8_t>(DmaKind::kGather);
    if (pick(2) == 0) return;
    i.kind = static_cast<std::uint8_t>(DmaKind::kScatter);
    std::swap(i.dst, i.src[0]);
  }

  RandomProgramOptions options_;
  std::mt19937_64 random_;
  Program program_;
  std::vector<std::vector<std::int64_t>> posted_;
};

}  // namespace

Program random_program(const RandomProgramOptions& options) { return Generator(options).run(); }

}  // namespace trn
