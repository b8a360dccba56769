#include "models/memory/dma/transfer_recorder.h"

#include <utility>

namespace trn {
namespace {

// Instructions lie behind the tensors, every engine's stream in a part of its own; what it unrolls to is
// known only when it has run.
constexpr std::uint64_t kStreamBytes = std::uint64_t{1} << 30;

}  // namespace

TransferRecorder::TransferRecorder(const Program& program, const CoreConfig& core, ExecutionObserver* next)
    : program_(program), core_(core), next_(next), layout_(program) {}

void TransferRecorder::issued(const IssuedInstruction& issued) {
  if (next_ != nullptr) next_->issued(issued);
}

std::optional<std::int32_t> TransferRecorder::register_loaded(const IssuedInstruction& issued) {
  return next_ != nullptr ? next_->register_loaded(issued) : std::nullopt;
}

std::uint64_t TransferRecorder::transfer_triggered(const IssuedInstruction& issued, Picoseconds first_byte,
                                                   const TransferShape& shape) {
  const std::uint64_t number = next_ != nullptr ? next_->transfer_triggered(issued, first_byte, shape) : 0;
  open_.emplace(triggered_, Recorded{packet_transfer(resolved(issued), program_, layout_, core_), number});
  return triggered_++;
}

void TransferRecorder::transfer_done(std::uint64_t transfer, Picoseconds started, Picoseconds now) {
  const auto recorded = open_.find(transfer);
  if (next_ != nullptr) next_->transfer_done(recorded->second.number, started, now);
  open_.erase(recorded);
}

PacketTransfer TransferRecorder::take(const TransferRequest& request) {
  if (!request.fetch) return std::move(open_.at(request.number).transfer);
  const std::uint64_t stream = request.core * kEngineCount + request.queue - program_.queues.size();
  const std::uint64_t block = fetched_[{request.core, request.queue}]++;
  return packet_fetch(layout_.end + stream * kStreamBytes + block * core_.sequencer.fetch_block.count(),
                      core_);
}

}  // namespace trn
