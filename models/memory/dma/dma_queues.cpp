#include "models/memory/dma/dma_queues.h"

#include <algorithm>

#include "base/error.h"

namespace trn {
namespace {

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

// A queue's transfers mostly have rows of one length.
const HbmEfficiency::Cost& DmaQueues::hbm_cost(Head& last, const TransferShape& shape) const {
  const std::uint64_t row = shape.bytes.count() / std::max<std::uint64_t>(1, shape.rows);
  if (row != last.cost_row) {
    last.cost_row = row;
    last.cost = efficiency_.cost(row);
  }
  return last.cost;
}

void DmaQueues::start(std::uint32_t queue, Picoseconds now) {
  if (heads_.size() <= queue) heads_.resize(queue + 1);
  Head& h = heads_[queue];
  h.stack = {path(queue).stack, 0, 0};
  const TransferShape& shape = head(queue).shape;
  transfer_flow(shape, path(queue), priority(queue), config(), hbm_cost(h, shape), flow_);
  flow_.watch = &h.stack;
  traffic().start_flow(now, flow_, *this, queue);
}

void DmaQueues::flow_done(std::uint64_t token, Picoseconds now) {
  const auto queue = static_cast<std::uint32_t>(token);
  finish(pass(queue, now), now, heads_[queue].stack);
}

}  // namespace trn
