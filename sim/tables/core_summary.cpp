#include "sim/tables/core_summary.h"

namespace trn {

// Results appear in order.
void EngineSums::add(Picoseconds start, Picoseconds complete) {
  ++instructions;
  instruction_time += complete - start;
  if (complete > last) active += complete - std::max(start, last);
  last = std::max(last, complete);
}

void CoreSummary::add(const InstructionEvent& e, const OperandBytes& bytes, double bf16_equivalent) {
  engines[index_of(e.engine)].add(e.start, e.complete);
  end = std::max(end, e.complete);
  if (e.instruction.opcode == Opcode::kDma) return;  // its bytes are the transfer's
  flops += e.flops;
  adjusted_flops += static_cast<double>(e.flops) * bf16_equivalent;
  matmuls += e.flops > 0 ? 1 : 0;
  if (e.instruction.opcode == Opcode::kActivation) {
    ++activations;
    activation_time += e.complete - e.start;
  }
  for (std::size_t space = 0; space < kSpaces.size(); ++space) {
    moved.read[space] += bytes.read[space];
    moved.written[space] += bytes.written[space];
  }
  if (bytes.read_from(Space::kPsum) > 0 && bytes.written_to(Space::kSbuf) > 0) {
    ++psum_to_sbuf;
    psum_to_sbuf_bytes += bytes.read_from(Space::kPsum);
  }
}

void CoreSummary::add(const TransferEvent& e) {
  const Program& program = e.trigger.program;
  DmaSums& mode = by_mode[static_cast<std::size_t>(program.queues[e.trigger.instruction.queue].mode)];
  ++mode.transfers;
  mode.bytes += e.shape.bytes.count();
  mode.active.add(e.started, e.done);
  ++transfers;
  transfer_bytes += e.shape.bytes.count();
  transfer_time += e.done - e.started;
  dma_active.add(e.started, e.done);
  end = std::max(end, e.done);
  const OperandBytes bytes = operand_bytes(e.trigger.instruction, program);
  for (const Space space : {Space::kSbuf, Space::kPsum}) {
    moved.read[static_cast<std::size_t>(space)] += bytes.read_from(space);
    moved.written[static_cast<std::size_t>(space)] += bytes.written_to(space);
  }
  moved.read[static_cast<std::size_t>(Space::kHbm)] += e.shape.hbm_read.count();
  moved.written[static_cast<std::size_t>(Space::kHbm)] += e.shape.hbm_write.count();
}

}  // namespace trn
