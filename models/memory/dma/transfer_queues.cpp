#include "models/memory/dma/transfer_queues.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace trn {
namespace {

// An engine issues on its clock's edges: below a nanosecond late; a semaphore's hop takes 30.
constexpr Picoseconds kTriggerSlack = nanoseconds(5);

}  // namespace

std::uint32_t TransferQueues::add_queue(DmaPath path, std::uint32_t priority, DescriptorMode mode) {
  if (engines_.empty() || engines_.back().resource != path.engines)  // a core's queues come together
    engines_.push_back({path.engines, 0, 0, {}, {}});
  queues_.push_back({std::move(path), priority, mode, engines_.size() - 1, {}, false, {}, {}});
  return static_cast<std::uint32_t>(queues_.size() - 1);
}

void TransferQueues::submit(std::uint32_t queue, std::uint32_t owner, const TransferRequest& request) {
  Queue& q = queues_[queue];
  q.pending.push_back({request, owner});
  if (q.pending.size() > 1) return;
  if (!request.fetch) ++engines_[q.engines].queued;
  traffic_.start_timer(request.first_byte, *this, queue);
}

Bytes TransferQueues::moved(std::uint32_t engines) const {
  for (const Engines& e : engines_)
    if (e.resource == engines) return e.moved;
  return Bytes(0);
}

const std::vector<TransferTimes>& TransferQueues::regions(std::size_t owner) const {
  static const std::vector<TransferTimes> kNone;
  return owner < regions_.size() ? regions_[owner] : kNone;
}

TransferTimes& TransferQueues::region_of(const Pending& transfer) {
  if (transfer.owner >= regions_.size()) regions_.resize(transfer.owner + 1);
  std::vector<TransferTimes>& regions = regions_[transfer.owner];
  if (transfer.request.region >= regions.size()) regions.resize(transfer.request.region + 1);
  return regions[transfer.request.region];
}

// The head of `queue` ends the idle time of its engines. What lies behind its trigger was spent on its
// descriptors. If it was triggered as soon as its predecessor's were made, their maker sets the pace, and a
// queue of another maker could have filled the gap if there is one and it was not in use.
void TransferQueues::end_idle(const Queue& queue, Picoseconds now) {
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

void TransferQueues::timer(std::uint64_t token, Picoseconds now) {
  Queue& q = queues_[token];
  const TransferRequest& request = q.pending.front().request;
  TRN_CHECK(!q.moving && request.first_byte <= now, "a queue head started twice or too early");
  q.moving = true;
  q.started = now;
  if (!request.fetch) {
    if (engines_[q.engines].moving++ == 0) end_idle(q, now);
    if (moving_++ == 0) moving_since_ = now;
  }
  start(static_cast<std::uint32_t>(token), now);
}

std::uint32_t TransferQueues::priority(std::uint32_t queue) const {
  return config_.priority_classes > 1 ? queues_[queue].priority : 0;
}

TransferQueues::Passed TransferQueues::pass(std::uint32_t queue, Picoseconds now) {
  Queue& q = queues_[queue];
  const Passed passed{q.pending.front(), queue, q.started, now - q.started};
  q.pending.pop_front();
  q.moving = false;
  if (!q.pending.empty())
    traffic_.start_timer(std::max(now, q.pending.front().request.first_byte), *this, queue);
  const TransferRequest& request = passed.transfer.request;
  if (request.fetch) return passed;
  if (q.pending.empty()) --engines_[q.engines].queued;
  q.made = request.triggered + descriptor_time(request.shape, q.mode, config_);
  return passed;
}

void TransferQueues::finish(const Passed& passed, Picoseconds now, const FlowWatch& stack) {
  const TransferRequest& request = passed.transfer.request;
  Engines& engines = engines_[queues_[passed.queue].engines];
  engines.moved += request.shape.bytes;
  if (request.fetch) {
    totals_.fetched += request.shape.bytes;
    return;
  }
  if (--engines.moving == 0) engines.idle_since = now;
  TransferTimes& region = region_of(passed.transfer);
  region.add(request.shape, passed.moving, stack, config_);
  region.in_motion.add(passed.started, now);
  if (--moving_ == 0) totals_.active += now - moving_since_;
  ++totals_.transfers;
  totals_.bytes += request.shape.bytes;
  totals_.hbm_read += request.shape.hbm_read;
  totals_.hbm_write += request.shape.hbm_write;
  totals_.last = now;
  completed_.push_back({passed.transfer.owner,
                        {request.core, request.semaphore, request.increment, request.queue, request.sibling},
                        request.number,
                        passed.started});
}

}  // namespace trn
