#include "models/memory/dma/dma_queues.h"

#include "base/error.h"

namespace trn {

void transfer_flow(const TransferShape& shape, DmaPath path, std::uint32_t priority, const DmaConfig& config,
                   FlowSpec& flow) {
  const double bytes = static_cast<double>(shape.bytes.count());
  flow.bytes = shape.bytes;
  flow.weight = static_cast<double>(config.packet.count());
  flow.priority = config.priority_classes > 1 ? priority : 0;
  flow.uses = {{path.engines, static_cast<double>(shape.slowest_engine.count()) / bytes},
               {path.stack, static_cast<double>((shape.hbm_read + shape.hbm_write).count()) / bytes}};
}

std::uint32_t DmaQueues::add_queue(DmaPath path, std::uint32_t priority) {
  queues_.push_back({path, priority, {}, false});
  return static_cast<std::uint32_t>(queues_.size() - 1);
}

void DmaQueues::submit(std::uint32_t queue, std::uint32_t owner, const TransferRequest& request) {
  Queue& q = queues_[queue];
  q.pending.push_back({request, owner});
  if (q.pending.size() == 1) traffic_.start_timer(request.first_byte, *this, queue);
}

void DmaQueues::timer(std::uint64_t token, Picoseconds now) {
  Queue& q = queues_[token];
  const TransferRequest& request = q.pending.front().request;
  TRN_CHECK(!q.moving && request.first_byte <= now, "a queue head started twice or too early");
  q.moving = true;
  if (moving_++ == 0) moving_since_ = now;
  transfer_flow(request.shape, q.path, q.priority, config_, flow_);
  traffic_.start_flow(now, flow_, *this, token);
}

void DmaQueues::flow_done(std::uint64_t token, Picoseconds now) {
  Queue& q = queues_[token];
  const Pending done = q.pending.front();
  q.pending.pop_front();
  q.moving = false;
  if (--moving_ == 0) totals_.active += now - moving_since_;
  ++totals_.transfers;
  totals_.bytes += done.request.shape.bytes;
  totals_.hbm_read += done.request.shape.hbm_read;
  totals_.hbm_write += done.request.shape.hbm_write;
  totals_.last = now;
  completed_.push_back({done.owner,
                        {done.request.core, done.request.semaphore, done.request.increment,
                         done.request.queue, done.request.sibling},
                        done.request.number});
  if (!q.pending.empty())
    traffic_.start_timer(std::max(now, q.pending.front().request.first_byte), *this, token);
}

}  // namespace trn
