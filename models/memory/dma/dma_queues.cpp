#include "models/memory/dma/dma_queues.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace trn {
namespace {

// A flow names a resource once.
void add_use(std::vector<FlowUse>& uses, std::uint32_t resource, double coefficient) {
  const auto it =
      std::find_if(uses.begin(), uses.end(), [&](const FlowUse& use) { return use.resource == resource; });
  if (it != uses.end())
    it->coefficient += coefficient;
  else if (coefficient > 0)
    uses.push_back({resource, coefficient});
}

}  // namespace

void transfer_flow(const TransferShape& shape, const DmaPath& path, std::uint32_t priority,
                   const DmaConfig& config, FlowSpec& flow) {
  const double bytes = static_cast<double>(shape.bytes.count());
  flow.bytes = shape.bytes;
  flow.weight = static_cast<double>(config.packet.count());
  flow.priority = config.priority_classes > 1 ? priority : 0;
  flow.uses.clear();
  add_use(flow.uses, path.engines, static_cast<double>(shape.slowest_engine.count()) / bytes);
  Bytes local = shape.hbm_read + shape.hbm_write;
  for (const RemoteBytes& there : shape.remote) local = local - there.read - there.write;
  add_use(flow.uses, path.stack, static_cast<double>(local.count()) / bytes);
  for (const RemoteBytes& there : shape.remote) {
    if (there.stack == 0) break;
    TRN_CHECK(there.stack <= path.remote.size(), "a transfer to a stack without a path");
    const RemoteStack& to = path.remote[there.stack - 1];
    const double read = static_cast<double>(there.read.count()) / bytes;
    const double write = static_cast<double>(there.write.count()) / bytes;
    add_use(flow.uses, to.stack, read + write);
    for (const FlowUse& use : to.reads) add_use(flow.uses, use.resource, use.coefficient * read);
    for (const FlowUse& use : to.writes) add_use(flow.uses, use.resource, use.coefficient * write);
  }
}

std::uint32_t DmaQueues::add_queue(DmaPath path, std::uint32_t priority) {
  queues_.push_back({std::move(path), priority, {}, false});
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
  if (!request.fetch && moving_++ == 0) moving_since_ = now;
  transfer_flow(request.shape, q.path, q.priority, config_, flow_);
  traffic_.start_flow(now, flow_, *this, token);
}

void DmaQueues::flow_done(std::uint64_t token, Picoseconds now) {
  Queue& q = queues_[token];
  const Pending done = q.pending.front();
  q.pending.pop_front();
  q.moving = false;
  if (!q.pending.empty())
    traffic_.start_timer(std::max(now, q.pending.front().request.first_byte), *this, token);
  if (done.request.fetch) {
    totals_.fetched += done.request.shape.bytes;
    return;
  }
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
}

}  // namespace trn
