// DMA engines packet by packet: what the flows of DmaQueues approximate, and what puts the real rows of
// transfers before the channel model of HBM.
//
// Each of a core's 16 engines serves the heads of its queues in turn (TurnOrder). It asks memory for a row
// when it starts it, and writes it when its data are through; it runs ahead of its reads, and apart from them
// of its writes, by at most DmaConfig::outstanding bytes, as a bus master with separate read and write
// channels does. While the packet whose turn it is finds no room, the engine stands still. A queue's next
// transfer starts when the engines are done with the one before, while its last bytes are still on the way.
// The die-to-die path is not modelled.
#pragma once

#include <functional>
#include <optional>
#include <queue>

#include "models/memory/dma/packet_listener.h"
#include "models/memory/dma/packet_share.h"
#include "models/memory/dma/transfer_queues.h"
#include "models/memory/dma/turn_order.h"
#include "models/memory/hbm/memory_port.h"

namespace trn {

class PacketDma : public TransferQueues {
 public:
  // What a request moves, asked for once, when it starts.
  using Transfers = std::function<PacketTransfer(const TransferRequest&)>;

  // `memories`: by stack, counted from the rank's own; they must outlive this.
  PacketDma(Traffic& traffic, const DmaConfig& config, std::vector<MemoryPort*> memories,
            Transfers transfers);

  void add_usage(std::vector<FlowEngine::ResourceReport>& resources) const override;
  // It must outlive this; blocks of instructions are not told of.
  void listen(PacketListener* listener) { listener_ = listener; }

 private:
  // One engine's part in a transfer.
  struct Share {
    std::uint32_t engine;
    PacketShare packets;
    std::uint64_t under_way = 0;  // packets
    Picoseconds stalled;          // the engine stood still for want of memory
  };
  struct Active {
    std::uint32_t queue = 0;
    PacketTransfer transfer;
    std::vector<Share> shares;   // by engine, from transfer.work.first_engine on
    std::size_t on_engines = 0;  // shares that their engines are not done with,
    std::size_t open = 0;        // and whose last byte has not arrived
    Picoseconds stalled;         // of the engine that was done last
    std::optional<Passed> passed;
  };
  struct Engine {
    explicit Engine(Bytes packet) : turns(packet) {}
    TurnOrder turns;
    bool busy = false;
    bool stalled = false;
    Picoseconds stalled_since;               // if stalled: its next packet has found no room
    std::uint64_t reading = 0, writing = 0;  // bytes under way
    std::deque<std::uint32_t> held;          // packets that find no room to write
    Picoseconds worked;
  };
  struct InFlight {
    Active* transfer = nullptr;
    Share* share = nullptr;
    Packet packet;
    std::uint64_t waits_for = 0;  // its engine, and requests
    bool written = false;         // they are its writes
  };
  struct EngineEnd {
    Picoseconds at;
    std::uint64_t serial;
    std::uint32_t flight;
    bool operator<(const EngineEnd& o) const { return at != o.at ? o.at < at : o.serial < serial; }
  };
  // For how long at least one of some engines was in a state.
  struct AnyTime {
    std::size_t engines = 0;
    Picoseconds since, time;
    void enter(Picoseconds now) {
      if (engines++ == 0) since = now;
    }
    void leave(Picoseconds now) {
      if (--engines == 0) time += now - since;
    }
  };
  struct Core {
    std::uint32_t resource = 0;
    AnyTime working;
  };

  void start(std::uint32_t queue, Picoseconds now) override;
  void meet(std::uint32_t queue);
  void wake(Picoseconds now);
  void schedule();
  Picoseconds next_event() const;
  void serve(std::uint32_t engine, Picoseconds now);
  Share& share_of(Active& transfer, std::uint32_t engine) const;
  bool has_room(const Engine& engine, const PacketTransfer& transfer, const Packet& packet) const;
  bool fits(std::uint64_t under_way, const Packet& packet) const;
  void end_stall(Engine& engine, Share& share, Picoseconds now);
  void start_packet(Active& transfer, Share& share, Picoseconds now);
  void engine_done(std::uint32_t flight, Picoseconds now);
  std::uint64_t request(std::uint32_t flight, const std::vector<MemoryOperand>& side, bool write,
                        Picoseconds now);
  void part_done(std::uint32_t flight, Picoseconds now);
  void write_or_hold(std::uint32_t flight, Picoseconds now);
  void write(std::uint32_t flight, Picoseconds now);
  void packet_done(std::uint32_t flight, Picoseconds now);
  void finish_in_order(std::uint32_t queue, Picoseconds now);
  std::uint32_t new_flight();

  std::vector<MemoryPort*> memories_;
  Transfers moves_;
  PacketListener* listener_ = nullptr;
  TimerActor waker_{[this](std::uint64_t, Picoseconds now) { wake(now); }};
  Picoseconds wake_at_ = Picoseconds::max();
  // By queue, in order: those whose last byte has not arrived. Only the last may be on the engines. Deques
  // keep their elements where they are.
  std::deque<std::deque<Active>> transfers_;
  std::deque<Engine> engines_;  // [core][engine]
  std::vector<Core> cores_;
  AnyTime stalled_;
  std::vector<std::uint32_t> stacks_;  // resources, by stack
  std::vector<InFlight> flights_;
  std::vector<std::uint32_t> free_;
  std::priority_queue<EngineEnd> ends_;
  std::uint64_t next_serial_ = 0;
  std::vector<std::uint32_t> done_;
  std::vector<MemorySpan> spans_;
};

}  // namespace trn
