#include "models/memory/dma/packet_dma.h"

#include <algorithm>
#include <utility>

#include "base/error.h"

namespace trn {

PacketDma::PacketDma(Traffic& traffic, const DmaConfig& config, std::vector<MemoryPort*> memories,
                     Transfers transfers)
    : TransferQueues(traffic, config), memories_(std::move(memories)), moves_(std::move(transfers)) {}

// The engines and resources of a queue's core are learnt with its first transfer.
void PacketDma::meet(std::uint32_t queue) {
  const std::size_t core = engines_of(queue);
  if (cores_.size() <= core) cores_.resize(core + 1);
  cores_[core].resource = path(queue).engines;
  while (engines_.size() < cores_.size() * config().engines) engines_.emplace_back(config().packet);
  if (stacks_.size() <= path(queue).remote.size()) {
    stacks_ = {path(queue).stack};
    for (const RemoteStack& remote : path(queue).remote) stacks_.push_back(remote.stack);
  }
}

void PacketDma::start(std::uint32_t queue, Picoseconds now) {
  meet(queue);
  while (transfers_.size() <= queue) transfers_.emplace_back();
  Active& active = transfers_[queue].emplace_back();
  active.queue = queue;
  active.transfer = moves_(head(queue));
  for (const std::vector<MemoryOperand>* side : {&active.transfer.reads, &active.transfer.writes})
    for (const MemoryOperand& operand : *side)
      TRN_CHECK(operand.stack() < memories_.size(), "a transfer to a stack without a memory");
  const TransferWork& work = active.transfer.work;
  const std::size_t first = engines_of(queue) * config().engines;
  for (std::uint64_t k = 0; k < work.engines; ++k) {
    const auto e = static_cast<std::uint32_t>(first + (work.first_engine + k) % config().engines);
    active.shares.push_back({e, PacketShare(work, k, config()), 0, {}});
    engines_[e].turns.add(queue, priority(queue));
  }
  active.on_engines = active.open = active.shares.size();
  for (const Share& share : active.shares) serve(share.engine, now);
  schedule();
}

PacketDma::Share& PacketDma::share_of(Active& transfer, std::uint32_t engine) const {
  const std::uint64_t all = config().engines;
  return transfer.shares[(engine % all + all - transfer.transfer.work.first_engine % all) % all];
}

Picoseconds PacketDma::next_event() const {
  Picoseconds next = ends_.empty() ? Picoseconds::max() : ends_.top().at;
  for (const MemoryPort* memory : memories_) next = std::min(next, memory->next());
  return next;
}

// One wake-up counts at a time; those that an earlier one has replaced are ignored when they fire.
void PacketDma::schedule() {
  const Picoseconds next = next_event();
  if (next >= wake_at_) return;
  wake_at_ = next;
  traffic().start_timer(next, waker_, 0);
}

// Memory first: what it brings makes room for what the engines start.
void PacketDma::wake(Picoseconds now) {
  if (now != wake_at_) return;
  while (next_event() <= now) {
    for (MemoryPort* memory : memories_) {
      done_.clear();
      memory->advance(now, done_);
      // Requests that follow may be done at once, and are then told the next time round.
      for (const std::uint32_t flight : done_) part_done(flight, now);
    }
    while (!ends_.empty() && ends_.top().at <= now) {
      const std::uint32_t flight = ends_.top().flight;
      ends_.pop();
      engine_done(flight, now);
    }
  }
  wake_at_ = Picoseconds::max();
  schedule();
}

bool PacketDma::fits(std::uint64_t under_way, const Packet& packet) const {
  return under_way == 0 || under_way + packet.bytes() <= config().outstanding.count();
}

bool PacketDma::has_room(const Engine& engine, const PacketTransfer& transfer, const Packet& packet) const {
  if (!transfer.reads.empty()) return fits(engine.reading, packet);
  if (!transfer.writes.empty()) return engine.held.empty() && fits(engine.writing, packet);
  return true;
}

// Lets an engine that is free go on with the packet whose turn it is.
void PacketDma::serve(std::uint32_t e, Picoseconds now) {
  Engine& engine = engines_[e];
  if (engine.busy) return;
  const std::optional<std::uint32_t> queue = engine.turns.current();
  if (!queue) return;
  Active& active = transfers_[*queue].back();
  Share& share = share_of(active, e);
  if (has_room(engine, active.transfer, share.packets.next())) {
    if (engine.stalled) end_stall(engine, share, now);
    start_packet(active, share, now);
  } else if (!engine.stalled) {
    engine.stalled = true;
    engine.stalled_since = now;
    stalled_.enter(now);
  }
}

void PacketDma::end_stall(Engine& engine, Share& share, Picoseconds now) {
  engine.stalled = false;
  share.stalled += now - engine.stalled_since;
  stalled_.leave(now);
}

void PacketDma::start_packet(Active& active, Share& share, Picoseconds now) {
  Engine& engine = engines_[share.engine];
  const Packet packet = share.packets.next();
  share.packets.take();
  ++share.under_way;
  engine.busy = true;
  engine.worked += packet.takes;
  engine.turns.took(packet.bytes());
  if (!share.packets.more()) engine.turns.remove(active.queue);
  cores_[engines_of(active.queue)].working.enter(now);
  if (listener_ != nullptr && !head(active.queue).fetch)
    listener_->packet({share.engine % config().engines, head(active.queue), Bytes(packet.bytes()), now,
                       now + packet.takes});

  const std::uint32_t flight = new_flight();
  flights_[flight] = {&active, &share, packet, 1, false};
  if (!active.transfer.reads.empty()) engine.reading += packet.bytes();
  flights_[flight].waits_for += request(flight, active.transfer.reads, false, now);
  ends_.push({now + packet.takes, next_serial_++, flight});
}

// The operands' parts of the packet; the number of requests. An operand of another width, or of row numbers,
// takes part in proportion.
std::uint64_t PacketDma::request(std::uint32_t flight, const std::vector<MemoryOperand>& side, bool write,
                                 Picoseconds now) {
  const Packet& packet = flights_[flight].packet;
  const std::uint64_t all = flights_[flight].transfer->transfer.work.bytes;
  std::uint64_t requests = 0;
  for (const MemoryOperand& operand : side) {
    const auto scaled = [&](std::uint64_t byte) {
      return static_cast<std::uint64_t>(static_cast<unsigned __int128>(byte) * operand.bytes() / all);
    };
    spans_.clear();
    operand.append_spans(scaled(packet.from), scaled(packet.to), spans_);
    for (const MemorySpan& span : spans_)
      memories_[operand.stack()]->request(now, {span.address, span.bytes, write, flight});
    requests += spans_.size();
  }
  return requests;
}

void PacketDma::engine_done(std::uint32_t flight, Picoseconds now) {
  const InFlight f = flights_[flight];
  const std::uint32_t engine = f.share->engine;
  engines_[engine].busy = false;
  cores_[engines_of(f.transfer->queue)].working.leave(now);
  if (!f.share->packets.more() && --f.transfer->on_engines == 0) {
    f.transfer->stalled = f.share->stalled;
    f.transfer->passed = pass(f.transfer->queue, now);
  }
  part_done(flight, now);
  serve(engine, now);
}

void PacketDma::part_done(std::uint32_t flight, Picoseconds now) {
  InFlight& f = flights_[flight];
  if (--f.waits_for > 0) return;
  if (f.written || f.transfer->transfer.writes.empty())
    packet_done(flight, now);
  else
    write_or_hold(flight, now);
}

void PacketDma::write_or_hold(std::uint32_t flight, Picoseconds now) {
  Engine& engine = engines_[flights_[flight].share->engine];
  if (engine.held.empty() && fits(engine.writing, flights_[flight].packet))
    write(flight, now);
  else
    engine.held.push_back(flight);
}

void PacketDma::write(std::uint32_t flight, Picoseconds now) {
  InFlight& f = flights_[flight];
  const std::uint32_t e = f.share->engine;
  Engine& engine = engines_[e];
  const PacketTransfer& transfer = f.transfer->transfer;
  engine.writing += f.packet.bytes();
  if (!transfer.reads.empty()) engine.reading -= f.packet.bytes();
  f.written = true;
  f.waits_for = request(flight, transfer.writes, true, now);
  if (f.waits_for == 0) packet_done(flight, now);
  serve(e, now);
}

void PacketDma::packet_done(std::uint32_t flight, Picoseconds now) {
  const InFlight f = flights_[flight];
  free_.push_back(flight);
  const std::uint32_t e = f.share->engine;
  Engine& engine = engines_[e];
  if (f.written)
    engine.writing -= f.packet.bytes();
  else if (!f.transfer->transfer.reads.empty())
    engine.reading -= f.packet.bytes();
  // From here on the transfer may be gone.
  if (--f.share->under_way == 0 && !f.share->packets.more() && --f.transfer->open == 0)
    finish_in_order(f.transfer->queue, now);
  while (!engine.held.empty() && fits(engine.writing, flights_[engine.held.front()].packet)) {
    const std::uint32_t next = engine.held.front();
    engine.held.pop_front();
    write(next, now);
  }
  serve(e, now);
}

// What a transfer waited for memory is what the engine did that was done with it last.
void PacketDma::finish_in_order(std::uint32_t queue, Picoseconds now) {
  std::deque<Active>& transfers = transfers_[queue];
  while (!transfers.empty() && transfers.front().open == 0) {
    const Active& first = transfers.front();
    finish(*first.passed, now, {path(queue).stack, static_cast<double>(first.stalled.count()), 0});
    transfers.pop_front();
  }
}

std::uint32_t PacketDma::new_flight() {
  if (free_.empty()) {
    flights_.emplace_back();
    return static_cast<std::uint32_t>(flights_.size() - 1);
  }
  const std::uint32_t flight = free_.back();
  free_.pop_back();
  return flight;
}

void PacketDma::add_usage(std::vector<FlowEngine::ResourceReport>& resources) const {
  for (std::size_t c = 0; c < cores_.size(); ++c) {
    FlowEngine::ResourceReport& engines = resources[cores_[c].resource];
    for (std::uint64_t e = 0; e < config().engines; ++e)
      engines.units_moved += static_cast<double>(engines_[c * config().engines + e].worked.count()) /
                             static_cast<double>(config().engines);
    engines.binding += cores_[c].working.time;
    engines.bound_picoseconds += static_cast<double>(cores_[c].working.time.count());
  }
  for (std::size_t s = 0; s < stacks_.size(); ++s) {
    const MemoryTotals totals = memories_[s]->totals();
    const auto bytes = static_cast<double>((totals.read + totals.written).count());
    resources[stacks_[s]].units_moved += bytes;
    resources[stacks_[s]].payload += bytes;
  }
  if (stacks_.empty()) return;
  resources[stacks_[0]].binding += stalled_.time;
  resources[stacks_[0]].bound_picoseconds += static_cast<double>(stalled_.time.count());
}

}  // namespace trn
