#include "models/memory/dma/dma_queues.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace trn {
namespace {

// An engine issues on its clock's edges: below a nanosecond late; a semaphore's hop takes 30.
constexpr Picoseconds kTriggerSlack = nanoseconds(5);

// A flow names a resource once.
void add_use(std::vector<FlowUse>& uses, const FlowUse& more) {
  const auto it = std::find_if(uses.begin(), uses.end(),
                               [&](const FlowUse& use) { return use.resource == more.resource; });
  if (it == uses.end()) {
    if (more.coefficient > 0) uses.push_back(more);
    return;
  }
  const double written = it->payload * it->write_share + more.payload * more.write_share;
  it->coefficient += more.coefficient;
  it->turn += more.turn;
  it->payload += more.payload;
  it->write_share = it->payload > 0 ? written / it->payload : 0;
}

// Bus time of a stack, in bytes at its peak, that a byte of the transfer takes.
FlowUse stack_use(std::uint32_t stack, double read, double write, const HbmEfficiency::Cost& cost) {
  const double bytes = read + write;
  return {stack, read * cost.read + write * cost.write, bytes * cost.turn, bytes > 0 ? write / bytes : 0,
          bytes};
}

}  // namespace

void transfer_flow(const TransferShape& shape, const DmaPath& path, std::uint32_t priority,
                   const DmaConfig& config, const HbmEfficiency::Cost& cost, FlowSpec& flow) {
  const double bytes = static_cast<double>(shape.bytes.count());
  flow.bytes = shape.bytes;
  flow.weight = static_cast<double>(config.packet.count());
  flow.priority = config.priority_classes > 1 ? priority : 0;
  flow.uses.clear();
  add_use(flow.uses, {path.engines, static_cast<double>(shape.slowest_engine.count()) / bytes});
  Bytes read_here = shape.hbm_read, written_here = shape.hbm_write;
  for (const RemoteBytes& there : shape.remote) {
    read_here = read_here - there.read;
    written_here = written_here - there.write;
  }
  add_use(flow.uses, stack_use(path.stack, static_cast<double>(read_here.count()) / bytes,
                               static_cast<double>(written_here.count()) / bytes, cost));
  for (const RemoteBytes& there : shape.remote) {
    if (there.stack == 0) break;
    TRN_CHECK(there.stack <= path.remote.size(), "a transfer to a stack without a path");
    const RemoteStack& to = path.remote[there.stack - 1];
    const double read = static_cast<double>(there.read.count()) / bytes;
    const double write = static_cast<double>(there.write.count()) / bytes;
    add_use(flow.uses, stack_use(to.stack, read, write, cost));
    for (const FlowUse& use : to.reads) add_use(flow.uses, {use.resource, use.coefficient * read});
    for (const FlowUse& use : to.writes) add_use(flow.uses, {use.resource, use.coefficient * write});
  }
}

std::uint32_t DmaQueues::add_queue(DmaPath path, std::uint32_t priority, DescriptorMode mode) {
  if (engines_.empty() || engines_.back().resource != path.engines)  // a core's queues come together
    engines_.push_back({path.engines, 0, 0, {}, {}});
  queues_.push_back({std::move(path), priority, mode, engines_.size() - 1});
  return static_cast<std::uint32_t>(queues_.size() - 1);
}

void DmaQueues::submit(std::uint32_t queue, std::uint32_t owner, const TransferRequest& request) {
  Queue& q = queues_[queue];
  q.pending.push_back({request, owner});
  if (q.pending.size() > 1) return;
  if (!request.fetch) ++engines_[q.engines].queued;
  traffic_.start_timer(request.first_byte, *this, queue);
}

Bytes DmaQueues::moved(std::uint32_t engines) const {
  for (const Engines& e : engines_)
    if (e.resource == engines) return e.moved;
  return Bytes(0);
}

const std::vector<TransferTimes>& DmaQueues::regions(std::size_t owner) const {
  static const std::vector<TransferTimes> kNone;
  return owner < regions_.size() ? regions_[owner] : kNone;
}

TransferTimes& DmaQueues::region_of(const Pending& transfer) {
  if (transfer.owner >= regions_.size()) regions_.resize(transfer.owner + 1);
  std::vector<TransferTimes>& regions = regions_[transfer.owner];
  if (transfer.request.region >= regions.size()) regions.resize(transfer.request.region + 1);
  return regions[transfer.request.region];
}

// The head of `queue` ends the idle time of its engines. What lies behind its trigger was spent on its
// descriptors. If it was triggered as soon as its predecessor's were made, their maker sets the pace, and a
// queue of another maker could have filled the gap if there is one and it was not in use.
void DmaQueues::end_idle(const Queue& queue, Picoseconds now) {
  const TransferRequest& request = queue.pending.front().request;
  const Engines& engines = engines_[queue.engines];
  const auto since = [&](Picoseconds idle) { return now - std::min(now, std::max(idle, request.triggered)); };
  if (moving_ == 0) totals_.descriptors_only += since(totals_.last);
  const bool paced = queue.made.count() > 0 && request.triggered <= queue.made + kTriggerSlack;
  TransferLoss loss = TransferLoss::kDescriptors;
  if (paced)
    loss = queue.mode == DescriptorMode::kSoftware || engines.queued > 1 ? TransferLoss::kMaking
                                                                         : TransferLoss::kOneQueue;
  region_of(queue.pending.front()).at(loss) += static_cast<double>(since(engines.idle_since).count());
}

// A queue's transfers mostly have rows of one length.
const HbmEfficiency::Cost& DmaQueues::hbm_cost(Queue& queue, const TransferShape& shape) const {
  const std::uint64_t row = shape.bytes.count() / std::max<std::uint64_t>(1, shape.rows);
  if (row != queue.cost_row) {
    queue.cost_row = row;
    queue.cost = efficiency_.cost(row);
  }
  return queue.cost;
}

void DmaQueues::timer(std::uint64_t token, Picoseconds now) {
  Queue& q = queues_[token];
  const TransferRequest& request = q.pending.front().request;
  TRN_CHECK(!q.moving && request.first_byte <= now, "a queue head started twice or too early");
  q.moving = true;
  q.started = now;
  if (!request.fetch) {
    if (engines_[q.engines].moving++ == 0) end_idle(q, now);
    if (moving_++ == 0) moving_since_ = now;
  }
  transfer_flow(request.shape, q.path, q.priority, config_, hbm_cost(q, request.shape), flow_);
  q.stack = {q.path.stack, 0, 0};
  flow_.watch = &q.stack;
  traffic_.start_flow(now, flow_, *this, token);
}

void DmaQueues::flow_done(std::uint64_t token, Picoseconds now) {
  Queue& q = queues_[token];
  const Pending done = q.pending.front();
  q.pending.pop_front();
  q.moving = false;
  if (!q.pending.empty())
    traffic_.start_timer(std::max(now, q.pending.front().request.first_byte), *this, token);
  Engines& engines = engines_[q.engines];
  engines.moved += done.request.shape.bytes;
  if (done.request.fetch) {
    totals_.fetched += done.request.shape.bytes;
    return;
  }
  if (q.pending.empty()) --engines.queued;
  if (--engines.moving == 0) engines.idle_since = now;
  q.made = done.request.triggered + descriptor_time(done.request.shape, q.mode, config_);
  region_of(done).add(done.request.shape, now - q.started, q.stack, config_);
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
