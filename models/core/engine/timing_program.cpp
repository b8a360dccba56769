#include "models/core/engine/timing_program.h"

#include "base/error.h"

namespace trn {
namespace {

constexpr std::uint16_t kAllCells = 0xffff;

class Lowering {
 public:
  Lowering(Engine engine, const Program& program, const CoreConfig& core)
      : engine_(engine), program_(program), core_(core) {
    out_.clock = engine_clock(engine, core);
    out_.fetch = std::max(Cycles(1), out_.clock.first_edge_at_or_after(core.sequencer.fetch));
  }

  TimingStream run(const NodeList& nodes) {
    list(nodes, 0);
    if (tiled_)
      for (TimingOp& op : out_.ops)
        if (op.source == nullptr || op.source->tile.whole()) op.cells = kAllCells;
    out_.ops.emplace_back();
    return std::move(out_);
  }

 private:
  void list(const NodeList& nodes, std::size_t depth) {
    TRN_CHECK(depth < kMaxLoopDepth, "loops nested too deeply");
    std::vector<std::uint32_t> places;  // of the nodes, and of what follows them
    for (const Node& node : nodes) {
      places.push_back(static_cast<std::uint32_t>(out_.ops.size()));
      if (!node.is_loop()) {
        instruction(node.instruction);
        continue;
      }
      const std::size_t begin = out_.ops.size();
      out_.ops.emplace_back();
      out_.ops[begin].kind = TimingOp::Kind::kLoop;
      out_.ops[begin].repeat = node.repeat;
      list(node.body, depth + 1);
      TimingOp end;
      end.kind = TimingOp::Kind::kEndLoop;
      end.repeat = node.repeat;
      end.body_end = static_cast<std::uint32_t>(begin);
      out_.ops[begin].body_end = static_cast<std::uint32_t>(out_.ops.size());
      out_.ops.push_back(end);
    }
    places.push_back(static_cast<std::uint32_t>(out_.ops.size()));
    set_jumps(nodes, places);
  }

  // LOOP goes past its ENDL, ENDL back into the body.
  void set_jumps(const NodeList& nodes, const std::vector<std::uint32_t>& places) {
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const Instruction& i = nodes[n].instruction;
      if (nodes[n].is_loop() || !info(i.opcode).jumps) continue;
      const std::size_t past = i.opcode == Opcode::kBranch ? 0 : 1;
      const auto to = static_cast<std::size_t>(static_cast<std::int64_t>(n) + i.control.jump) + past;
      out_.ops[places[n]].body_end = places[to];
    }
  }

  void instruction(const Instruction& i) {
    const OpCost cost = op_cost(i, engine_, program_, core_);
    TimingOp op;
    op.source = &i;
    op.kind = kind_of(cost.kind);
    op.table = cost.table;
    op.takes_bus = cost.takes_bus;
    op.takes_psum_port = cost.takes_psum_port;
    op.region = i.region;
    op.busy = EdgeStep(cost.busy, out_.clock);
    op.latency = EdgeStep(cost.latency, out_.clock);
    op.flops = cost.flops;
    op.background = cost.background;
    op.dynamic = i.dynamic();
    op.fetch_bound = cost.busy < out_.fetch;
    if (i.opcode == Opcode::kClearSemaphore) op.detail = i.control.semaphore;
    if (!i.tile.whole()) {
      tiled_ = true;
      op.cells = cells_of(i.tile);
    }
    wait_and_post(i, op);
    if (cost.kind == OpKind::kDma) {
      op.queue = i.queue;
      op.detail = static_cast<std::uint32_t>(out_.transfers.size());
      out_.transfers.push_back(transfer_shape(i, program_, core_));
      op.busy_ps = dma_busy(out_.transfers.back(), program_.queues[i.queue].mode).count();
    } else if (cost.kind == OpKind::kCollective) {
      op.detail = i.collective;
      op.busy_ps = core_.dma.trigger.count();
    } else {
      psum_banks(i, op);
    }
    out_.ops.push_back(op);
  }

  // A 4 x 4 grid of 32 x 32 cells, row by row.
  static std::uint16_t cells_of(const ArrayTile& tile) {
    std::uint32_t cells = 0;
    for (std::uint32_t r = tile.row; r < std::uint32_t{tile.row} + tile.rows; ++r)
      for (std::uint32_t c = tile.column; c < std::uint32_t{tile.column} + tile.columns; ++c)
        cells |= 1u << (4 * r + c);
    return static_cast<std::uint16_t>(cells);
  }

  // The engine's own slot: a register write, or with software descriptors the whole work.
  Picoseconds dma_busy(const TransferShape& shape, DescriptorMode mode) const {
    return mode == DescriptorMode::kSoftware ? descriptor_time(shape, mode, core_.dma) : core_.dma.trigger;
  }

  void wait_and_post(const Instruction& i, TimingOp& op) {
    op.wait_semaphore = i.wait.semaphore;
    op.wait_reg = i.wait.reg;
    op.wait_value = i.wait.value;
    op.first_term = static_cast<std::uint32_t>(out_.terms.size());
    if (i.wait.semaphore != kNoSemaphore) {
      for (const AffineTerm& term : i.affine)
        if (term.field == Field::kWaitValue) out_.terms.push_back({term.loop, term.coefficient});
    }
    op.term_count = static_cast<std::uint32_t>(out_.terms.size()) - op.first_term;
    op.post_semaphore = i.post.semaphore;
    op.post_increment = i.post.increment;
    op.post_at_read = i.post.when == PostTime::kRead;
    op.post_sibling = i.post.sibling;
  }

  void psum_banks(const Instruction& i, TimingOp& op) {
    if (takes_destination(info(i.opcode).operands)) banks_of(i, i.dst, Field::kDstOffset, op);
    for (std::size_t s = 0; s < i.source_count; ++s) banks_of(i, i.src[s], kSourceOffsets[s], op);
  }

  void banks_of(const Instruction& i, const AccessPattern& pattern, Field field, TimingOp& op) {
    const TensorDecl& tensor = program_.tensors[pattern.tensor];
    if (tensor.space != Space::kPsum) return;
    const ByteSpan bytes = byte_span(pattern, tensor);
    MovingBanks moving{bytes.first, bytes.span, {}, kNoRegister, 0, 0, 0};
    for (const AffineTerm& term : i.affine)
      if (term.field == field)
        moving.terms.push_back(
            {term.loop, term.coefficient * static_cast<std::int64_t>(size_of(tensor.dtype))});
    if (pattern.dynamic()) {
      moving.reg = pattern.reg;
      moving.reg_bytes = static_cast<std::int64_t>(size_of(tensor.dtype));
      moving.low = tensor.address;
      moving.high = tensor.address + tensor.row_bytes();
    }
    if (moving.terms.empty() && !pattern.dynamic()) {
      op.banks |= bank_mask(bytes.first, bytes.span);
      return;
    }
    if (op.moving_count == 0) op.moving_banks = static_cast<std::int32_t>(out_.moving_banks.size());
    ++op.moving_count;
    out_.moving_banks.push_back(std::move(moving));
  }

  std::uint64_t bank_mask(std::int64_t first, std::uint64_t span) const {
    const std::uint64_t bank = core_.psum.bank_bytes.count();
    std::uint64_t mask = 0;
    for (std::uint64_t b = static_cast<std::uint64_t>(first) / bank;
         b <= (static_cast<std::uint64_t>(first) + span - 1) / bank; ++b)
      mask |= std::uint64_t{1} << (b % core_.psum.banks);
    return mask;
  }

  static TimingOp::Kind kind_of(OpKind kind) {
    switch (kind) {
      case OpKind::kControl:
        return TimingOp::Kind::kControl;
      case OpKind::kSequencer:
        return TimingOp::Kind::kSequencer;
      case OpKind::kClear:
        return TimingOp::Kind::kClear;
      case OpKind::kWeights:
        return TimingOp::Kind::kWeights;
      case OpKind::kArray:
        return TimingOp::Kind::kArray;
      case OpKind::kData:
        return TimingOp::Kind::kData;
      case OpKind::kDma:
        return TimingOp::Kind::kDma;
      case OpKind::kCollective:
        break;
    }
    return TimingOp::Kind::kCollective;
  }

  Engine engine_;
  const Program& program_;
  const CoreConfig& core_;
  TimingStream out_;
  bool tiled_ = false;
};

}  // namespace

TimingStream lower(const NodeList& nodes, Engine engine, const Program& program, const CoreConfig& core) {
  return Lowering(engine, program, core).run(nodes);
}

}  // namespace trn
