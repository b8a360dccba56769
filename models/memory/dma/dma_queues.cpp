#include "models/memory/dma/dma_queues.h"

#include <algorithm>

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

void DmaQueues::start(std::uint32_t queue, Picoseconds now) {
  if (stack_.size() <= queue) stack_.resize(queue + 1);
  stack_[queue] = {path(queue).stack, 0, 0};
  transfer_flow(head(queue).shape, path(queue), priority(queue), config(), flow_);
  flow_.watch = &stack_[queue];
  traffic().start_flow(now, flow_, *this, queue);
}

void DmaQueues::flow_done(std::uint64_t token, Picoseconds now) {
  const auto queue = static_cast<std::uint32_t>(token);
  finish(pass(queue, now), now, stack_[queue]);
}

}  // namespace trn
