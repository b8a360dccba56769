#include "models/core/engine/wait_attribution.h"

#include <algorithm>

namespace trn {
namespace {

void mark(const NodeList& nodes, const Program& program, std::vector<WaitCause>& cause) {
  for (const Node& node : nodes) {
    if (node.is_loop()) {
      mark(node.body, program, cause);
      continue;
    }
    const Instruction& i = node.instruction;
    if (i.post.semaphore == kNoSemaphore) continue;
    if (i.opcode == Opcode::kDma) cause[i.post.semaphore] = WaitCause::kTransfer;
    if (i.opcode == Opcode::kCollective)
      cause[i.post.semaphore] =
          program.collectives[i.collective].axis == "tp" ? WaitCause::kTensorAxis : WaitCause::kDataAxis;
  }
}

}  // namespace

WaitAttribution::WaitAttribution(const Program& program)
    : cause_(program.semaphores.size(), WaitCause::kOtherEngine) {
  for (const CoreProgram& core : program.cores)
    for (const NodeList& stream : core.streams) mark(stream, program, cause_);
}

// A wait for a transfer is the transfer's only after the loads that Sync could not yet trigger.
void WaitAttribution::tensor_waited(Picoseconds from, Picoseconds to, std::uint16_t semaphore) {
  Picoseconds left = to - from;
  const WaitCause cause = semaphore == kNoSemaphore ? WaitCause::kTransfer : cause_[semaphore];
  while (!loads_.empty() && loads_.front().to <= from) loads_.pop_front();
  if (cause == WaitCause::kTransfer) {
    for (const Interval& load : loads_) {
      const Picoseconds begin = std::max(from, load.from);
      const Picoseconds end = std::min(to, load.to);
      if (end <= begin) continue;
      const Picoseconds overlap = std::min(left, end - begin);
      // Sync waiting for a store is waiting for the engines that make its data.
      const WaitCause why = load.cause == WaitCause::kTransfer ? WaitCause::kOtherEngine : load.cause;
      times_[static_cast<std::size_t>(why)] += overlap;
      left = left - overlap;
    }
  }
  times_[static_cast<std::size_t>(cause)] += left;
}

}  // namespace trn
