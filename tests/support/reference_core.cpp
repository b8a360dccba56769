#include "tests/support/reference_core.h"

#include <algorithm>
#include <map>
#include <queue>
#include <set>

#include "base/error.h"
#include "models/core/engine/op_cost.h"
#include "models/core/engine/sequencer.h"
#include "models/memory/dma/dma_queues.h"

namespace trn {
namespace {

// At one time: transfers end, then posts become visible, then engines issue in engine order.
enum class Phase { kTraffic, kPost, kEngine };

struct Event {
  Picoseconds at;
  Phase phase;
  std::size_t id;  // engine or serial number
  std::uint64_t serial;
  bool operator<(const Event& o) const {
    if (at != o.at) return o.at < at;
    if (phase != o.phase) return o.phase < phase;
    if (id != o.id) return o.id < id;
    return o.serial < serial;
  }
};

// A stream as it runs: its control flow is decided before time starts, since without data nothing in it
// depends on time.
struct DynamicInstruction {
  Instruction instruction;
  bool taken = false;  // BR
};

class Unroller {
 public:
  std::vector<DynamicInstruction> run(const NodeList& nodes) {
    list(nodes);
    return std::move(out_);
  }

 private:
  std::int32_t value(const Scalar& scalar) const {
    return scalar.reg == kNoRegister ? scalar.value : registers_[scalar.reg];
  }

  void list(const NodeList& nodes) {
    for (std::size_t at = 0; at < nodes.size();) {
      if (!nodes[at].is_loop()) {
        at = instruction(nodes, at);
        continue;
      }
      indices_.push_back(0);
      for (; indices_.back() < nodes[at].repeat; ++indices_.back()) list(nodes[at].body);
      indices_.pop_back();
      ++at;
    }
  }

  // Returns the node that comes next.
  std::size_t instruction(const NodeList& nodes, std::size_t at) {
    Instruction i = nodes[at].instruction;
    for (const AffineTerm& term : i.affine)
      i.field(term.field) += term.coefficient * static_cast<std::int64_t>(indices_[term.loop]);
    if (i.wait.reg != kNoRegister) i.wait.value += registers_[i.wait.reg];
    for (AccessPattern* p : {&i.dst, &i.src[0], &i.src[1], &i.src[2]})
      if (p->dynamic()) p->offset += registers_[p->reg];
    const auto& s = i.control.scalars;
    std::size_t next = at + 1;
    bool taken = false;
    const auto jump = [&](std::size_t past) {
      next = static_cast<std::size_t>(static_cast<std::int64_t>(at) + i.control.jump) + past;
    };
    if (i.opcode == Opcode::kMoveRegister) registers_[i.control.reg] = value(s[0]);
    if (i.opcode == Opcode::kAluRegister)
      registers_[i.control.reg] = *register_alu(i.op0, value(s[0]), value(s[1]));
    if (i.opcode == Opcode::kBranch) {
      taken = i.op0 == AluOp::kNone || *register_alu(i.op0, value(s[0]), value(s[1])) != 0;
      if (taken) jump(0);
    }
    if (i.opcode == Opcode::kLoop) {
      registers_[i.control.reg] = value(s[0]);
      if (value(s[0]) >= value(s[1])) jump(1);
    }
    if (i.opcode == Opcode::kEndLoop) {
      const auto loop_at = static_cast<std::size_t>(static_cast<std::int64_t>(at) + i.control.jump);
      const ControlOperands& loop = nodes[loop_at].instruction.control;
      registers_[loop.reg] += loop.scalars[2].value;
      if (registers_[loop.reg] < value(loop.scalars[1])) jump(1);
    }
    out_.push_back({i, taken});
    return next;
  }

  std::array<std::int32_t, kRegisters> registers_{};
  std::vector<std::uint64_t> indices_;
  std::vector<DynamicInstruction> out_;
};

class ReferenceCore {
 public:
  ReferenceCore(const Program& program, const MachineConfig& machine)
      : program_(program),
        config_(machine.core),
        queues_(traffic_, machine.core.dma, machine.hbm.efficiency) {
    const std::uint32_t stack = traffic_.flows().add_resource(
        "stack", bytes_per_picosecond(machine.hbm.stack_rate), machine.hbm.efficiency.turning);
    const std::vector<RemoteStack> remote = remote_stacks(machine);
    for (std::size_t c = 0; c < program.cores.size(); ++c) {
      const std::uint32_t dma = traffic_.flows().add_resource("dma", 1.0);
      Core& core = cores_.emplace_back();
      core.semaphores.resize(program.semaphores.size());
      for (const QueueDecl& q : program.queues)
        core.queues.push_back({queues_.add_queue({dma, stack, remote}, q.priority, q.mode), 0, 0});
      if (config_.sequencer.fetch_block.count() > 0)
        for (std::size_t e = 0; e < kEngineCount; ++e)
          core.fetch_queues.push_back(queues_.add_queue({dma, stack, {}}, 0, DescriptorMode::kStatic));
      for (const EngineInfo& info : kEngines) {
        Engine_& e = engines_.emplace_back();
        e.core = c;
        e.engine = info.engine;
        e.clock = engine_clock(info.engine, config_);
        e.list = Unroller().run(program.cores[c].streams[index_of(info.engine)]);
        e.stats.wait_by_region.resize(program.regions.size());
      }
    }
  }

  RunResult run() {
    for (std::size_t e = 0; e < engines_.size(); ++e) look(e, Picoseconds(0));
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      switch (event.phase) {
        case Phase::kTraffic:
          traffic(event.at);
          break;
        case Phase::kPost:
          posted(event);
          break;
        case Phase::kEngine:
          if (event.serial == engines_[event.id].scheduled) issue(event.id, event.at);
          break;
      }
    }
    return result();
  }

 private:
  struct Queue {
    std::uint32_t number;
    std::uint64_t issued;
    std::uint64_t freed;  // visible to the engines
  };
  struct Reservation {
    Picoseconds until;
    std::size_t owner = 99;
  };
  struct Core {
    std::vector<std::uint64_t> semaphores;
    std::vector<Queue> queues;
    std::vector<std::uint32_t> fetch_queues;  // by engine
    std::map<std::uint64_t, Reservation> banks;
    Reservation bus, port;
    struct Cell {
      Picoseconds free, weights_ready, load_free, shadow_free;
    };
    Cell cells[16];
    Picoseconds array_until;
    Picoseconds background_free;
    std::map<std::size_t, Picoseconds> descriptor_unit;
    Picoseconds limited_until;
    std::vector<std::pair<Picoseconds, Picoseconds>> array_busy;
    std::uint64_t limiter_activations = 0;
  };
  struct Engine_ {
    std::size_t core = 0;
    Engine engine = Engine::kTensor;
    Clock clock;
    std::vector<DynamicInstruction> list;
    std::size_t at = 0;
    Picoseconds slot;  // on an edge
    Picoseconds complete;
    std::uint64_t scheduled = 0;  // serial of the valid event
    std::uint8_t table = 0;
    EngineStats stats;
  };
  struct PostRecord {
    std::size_t core;
    std::uint16_t semaphore;
    std::uint64_t increment;
    std::optional<std::uint16_t> queue;
  };

  // One rank alone on a chip: it sits at the first stack, and the second half of the stacks is on another die
  // where there are more than two.
  std::vector<RemoteStack> remote_stacks(const MachineConfig& machine) {
    std::uint32_t furthest = 0;
    for (const TensorDecl& t : program_.tensors) furthest = std::max(furthest, t.stack);
    std::vector<RemoteStack> remote;
    std::optional<std::uint32_t> in, out;
    for (std::uint64_t s = 1; s <= furthest; ++s) {
      remote.push_back({traffic_.flows().add_resource("far", bytes_per_picosecond(machine.hbm.stack_rate),
                                                      machine.hbm.efficiency.turning)});
      if (machine.hbm.stacks < 3 || s < machine.hbm.stacks / 2) continue;
      if (!in) in = traffic_.flows().add_resource("in", bytes_per_picosecond(machine.die_to_die));
      if (!out) out = traffic_.flows().add_resource("out", bytes_per_picosecond(machine.die_to_die));
      remote.back().reads = {{*in, 1.0}};
      remote.back().writes = {{*out, 1.0}};
    }
    return remote;
  }

  static Picoseconds edge(Picoseconds t, Clock clock) {
    return clock.time_of(clock.first_edge_at_or_after(t));
  }
  // `n` cycles after a time that lies on an edge.
  static Picoseconds after(Picoseconds t, Cycles n, Clock clock) {
    return clock.time_of(clock.first_edge_at_or_after(t) + n);
  }

  void schedule(Picoseconds at, Phase phase, std::size_t id) { events_.push({at, phase, id, ++serial_}); }

  static std::vector<std::size_t> cells_of(const ArrayTile& tile) {
    std::vector<std::size_t> cells;
    for (std::size_t r = 0; r < 4; ++r)
      for (std::size_t c = 0; c < 4; ++c)
        if (tile.whole() || (r >= tile.row && r < std::size_t{tile.row} + tile.rows && c >= tile.column &&
                             c < std::size_t{tile.column} + tile.columns))
          cells.push_back(4 * r + c);
    return cells;
  }

  bool background(const Engine_& e, const Instruction& i) const {
    return e.engine == Engine::kTensor && i.opcode == Opcode::kTranspose &&
           config_.tensor.background_transpose;
  }

  Picoseconds own_start(const Engine_& e, const Instruction& i, OpKind kind) {
    Core& core = cores_[e.core];
    if (kind == OpKind::kArray || kind == OpKind::kWeights) {
      Picoseconds start = e.slot;
      for (const std::size_t c : cells_of(i.tile)) {
        const auto& cell = core.cells[c];
        start = kind == OpKind::kArray ? std::max({start, cell.free, cell.weights_ready})
                                       : std::max({start, cell.load_free, cell.shadow_free});
      }
      if (background(e, i)) start = std::min(start, std::max(e.slot, core.background_free));
      return start;
    }
    if (kind == OpKind::kDma)
      return edge(std::max(e.slot, core.descriptor_unit[index_of(e.engine)]), e.clock);
    return e.slot;
  }

  bool satisfied(const Engine_& e, const Instruction& i) {
    const Core& core = cores_[e.core];
    if (i.wait.semaphore != kNoSemaphore && i.wait.value > 0 &&
        core.semaphores[i.wait.semaphore] < static_cast<std::uint64_t>(i.wait.value))
      return false;
    if (i.opcode == Opcode::kDma &&
        core.queues[i.queue].issued - core.queues[i.queue].freed >= config_.dma.queue_depth)
      return false;
    return true;
  }

  // Plans the engine's next issue, if nothing is missing; `now` is when it was found out.
  void look(std::size_t id, Picoseconds now) {
    Engine_& e = engines_[id];
    if (e.at == e.list.size() || !satisfied(e, e.list[e.at].instruction)) {
      e.scheduled = 0;
      return;
    }
    const Instruction& i = e.list[e.at].instruction;
    const OpCost cost = op_cost(i, e.engine, program_, config_);
    const Picoseconds start = edge(std::max(own_start(e, i, cost.kind), now), e.clock);
    schedule(start, Phase::kEngine, id);
    e.scheduled = serial_;
  }

  void issue(std::size_t id, Picoseconds ready) {
    Engine_& e = engines_[id];
    Core& core = cores_[e.core];
    const Instruction i = e.list[e.at].instruction;
    const OpCost cost = op_cost(i, e.engine, program_, config_);
    const Picoseconds base = own_start(e, i, cost.kind);
    e.stats.semaphore_wait += ready - base;

    std::vector<Reservation*> held;
    for (const std::uint64_t bank : banks(i)) held.push_back(&core.banks[bank]);
    if (cost.takes_bus) held.push_back(&core.bus);
    if (cost.takes_psum_port) held.push_back(&core.port);
    Picoseconds free = ready;
    for (const Reservation* r : held)
      if (r->owner != id) free = std::max(free, r->until);
    const Picoseconds start = edge(free, e.clock);
    e.stats.conflict_wait += start - ready;

    Picoseconds read = after(start, cost.busy, e.clock);
    Picoseconds complete = read;
    e.slot = read;
    fetch(e, start);
    ++e.stats.instructions;
    switch (cost.kind) {
      case OpKind::kArray: {
        const std::uint64_t factor = limiter_factor(core, start);
        const Picoseconds unlimited = read;
        read = after(start, cost.busy * factor, e.clock);
        e.stats.limiter_stall += read - unlimited;
        const Picoseconds from = std::max(start, core.array_until);
        if (read > from) core.array_busy.emplace_back(from, read);
        core.array_until = std::max(core.array_until, read);
        if (background(e, i) && core.background_free <= start)
          core.background_free = read;
        else
          for (const std::size_t c : cells_of(i.tile))
            core.cells[c].free = read, core.cells[c].shadow_free = start;
        complete = after(read, cost.latency, e.clock);
        e.slot = start;
        if (read > from) e.stats.busy += read - from;
        break;
      }
      case OpKind::kWeights:
        for (const std::size_t c : cells_of(i.tile))
          core.cells[c].load_free = core.cells[c].weights_ready = core.cells[c].shadow_free = read;
        e.slot = start;
        break;
      case OpKind::kData:
        if (cost.table != 0 && cost.table != e.table) {
          read = after(read, e.clock.first_edge_at_or_after(config_.scalar.table_load), e.clock);
          e.table = cost.table;
          e.slot = read;
          ++e.stats.table_loads;
        }
        complete = after(read, cost.latency, e.clock);
        e.stats.busy += read - start;
        break;
      case OpKind::kDma: {
        const TransferShape shape = transfer_shape(i, program_, config_);
        const DescriptorMode mode = program_.queues[i.queue].mode;
        core.descriptor_unit[index_of(e.engine)] = start + descriptor_time(shape, mode, config_.dma);
        const Picoseconds busy = mode == DescriptorMode::kSoftware ? descriptor_time(shape, mode, config_.dma)
                                                                   : config_.dma.trigger;
        read = complete = e.slot = edge(start + busy, e.clock);
        e.stats.busy += read - start;
        ++e.stats.transfers;
        ++core.queues[i.queue].issued;
        queues_.submit(
            core.queues[i.queue].number, 0,
            {static_cast<std::uint32_t>(e.core), i.queue, i.post.semaphore, i.post.increment, i.post.sibling,
             0, 0, start + start_delay(shape, mode, config_.dma), shape, start, false});
        plan_traffic(start);
        break;
      }
      case OpKind::kClear:
        clear(e.core, i.control.semaphore);
        e.stats.busy += read - start;
        break;
      case OpKind::kSequencer:
        if (e.list[e.at].taken)
          read = complete = e.slot = after(read, config_.sequencer.taken_branch, e.clock);
        e.stats.busy += read - start;
        break;
      default:
        e.stats.busy += read - start;
        break;
    }
    // The next instruction must have been fetched.
    const Cycles fetch = std::max(Cycles(1), e.clock.first_edge_at_or_after(config_.sequencer.fetch));
    e.slot = std::max(e.slot, after(start, fetch, e.clock));
    for (Reservation* r : held) *r = {read, id};
    e.complete = std::max(e.complete, complete);
    if (i.post.semaphore != kNoSemaphore && cost.kind != OpKind::kDma) {
      const Picoseconds at = i.post.when == PostTime::kRead ? read : e.complete;
      const std::size_t target = i.post.sibling ? 1 - e.core : e.core;
      post(at + (i.post.sibling ? config_.semaphores.sibling_hop : config_.semaphores.hop),
           {target, i.post.semaphore, i.post.increment, std::nullopt});
    }
    ++e.at;
    look(id, Picoseconds(0));
  }

  // Instruction n lies in block n / instructions a block; its first one asks for the next block.
  void fetch(const Engine_& e, Picoseconds start) {
    const std::uint64_t each = config_.sequencer.fetch_block_instructions;
    if (each == 0 || e.stats.instructions % each != 0) return;
    const TransferShape shape = fetch_shape(config_);
    TransferRequest request;
    request.first_byte = start + start_delay(shape, DescriptorMode::kStatic, config_.dma);
    request.shape = shape;
    request.fetch = true;
    queues_.submit(cores_[e.core].fetch_queues[index_of(e.engine)], 0, request);
    plan_traffic(start);
  }

  // Engines that were only waiting for their turn look again.
  void clear(std::size_t c, std::uint16_t semaphore) {
    cores_[c].semaphores[semaphore] = 0;
    for (std::size_t id = c * kEngineCount; id < (c + 1) * kEngineCount; ++id) {
      Engine_& e = engines_[id];
      if (e.at < e.list.size() && !satisfied(e, e.list[e.at].instruction)) e.scheduled = 0;
    }
  }

  void post(Picoseconds visible, const PostRecord& record) {
    posts_.push_back(record);
    schedule(visible, Phase::kPost, posts_.size() - 1);
  }

  void posted(const Event& event) {
    const PostRecord record = posts_[event.id];
    Core& core = cores_[record.core];
    if (record.semaphore != kNoSemaphore) core.semaphores[record.semaphore] += record.increment;
    if (record.queue) ++core.queues[*record.queue].freed;
    for (std::size_t id = record.core * kEngineCount; id < (record.core + 1) * kEngineCount; ++id)
      if (engines_[id].scheduled == 0) look(id, event.at);
  }

  void plan_traffic(Picoseconds now) {
    (void)now;
    const std::optional<Picoseconds> next = traffic_.next_event(last_traffic_);
    if (next) schedule(*next, Phase::kTraffic, 0);
  }

  void traffic(Picoseconds at) {
    const std::optional<Picoseconds> next = traffic_.next_event(last_traffic_);
    if (!next || *next != at) return;
    last_traffic_ = at;
    traffic_.advance(at);
    for (const TransferDone& done : queues_.completed()) {
      const Completion& c = done.completion;
      const Picoseconds visible = at + config_.dma.completion_latency;
      post(visible, {c.sibling ? 1 - c.core : c.core, c.semaphore, c.increment, std::nullopt});
      post(visible, {c.core, kNoSemaphore, 0, c.queue});
    }
    queues_.completed().clear();
    plan_traffic(at);
  }

  // By definition, over the whole history.
  std::uint64_t limiter_factor(Core& core, Picoseconds now) const {
    const Picoseconds window = config_.tensor.limiter_window;
    if (window.count() == 0) return 1;
    if (now < core.limited_until) return config_.tensor.limiter_slowdown;
    const Picoseconds begin = now < window ? Picoseconds(0) : now - window;
    std::uint64_t busy = 0;
    for (const auto& [from, to] : core.array_busy)
      if (to > begin) busy += (to - std::max(from, begin)).count();
    if (busy * 100 >= window.count() * config_.tensor.limiter_rearm_percent) return 1;
    core.limited_until = now + window;
    ++core.limiter_activations;
    return config_.tensor.limiter_slowdown;
  }

  std::set<std::uint64_t> banks(const Instruction& i) const {
    std::set<std::uint64_t> found;
    const auto add = [&](const AccessPattern& p) {
      const TensorDecl& t = program_.tensors[p.tensor];
      if (t.space != Space::kPsum) return;
      const ByteSpan span = byte_span(p, t);
      const std::uint64_t first = static_cast<std::uint64_t>(span.first);
      for (std::uint64_t byte = first; byte < first + span.span; ++byte)
        found.insert(byte / config_.psum.bank_bytes.count());
    };
    const bool computes = i.opcode != Opcode::kDma && i.opcode != Opcode::kCollective;
    if (computes && takes_destination(info(i.opcode).operands)) add(i.dst);
    for (std::size_t s = 0; computes && s < i.source_count; ++s) add(i.src[s]);
    return found;
  }

  RunResult result() {
    RunResult r;
    Picoseconds finish = queues_.totals().last;
    for (const Engine_& e : engines_) {
      if (e.at != e.list.size()) throw DeadlockError("the reference deadlocked");
      r.engines.push_back({static_cast<std::uint32_t>(e.core), e.engine, e.stats});
      finish = std::max(finish, e.complete);
    }
    for (const Core& core : cores_) r.limiter_activations += core.limiter_activations;
    r.time = finish;
    r.transfers = queues_.totals().transfers;
    r.dma_bytes = queues_.totals().bytes;
    r.dma_active = queues_.totals().active;
    r.hbm_read = queues_.totals().hbm_read;
    r.hbm_write = queues_.totals().hbm_write;
    r.fetched = queues_.totals().fetched;
    return r;
  }

  const Program& program_;
  CoreConfig config_;
  Traffic traffic_;
  DmaQueues queues_;
  std::vector<Core> cores_;
  std::vector<Engine_> engines_;
  std::vector<PostRecord> posts_;
  std::priority_queue<Event> events_;
  std::uint64_t serial_ = 0;
  Picoseconds last_traffic_;
};

}  // namespace

RunResult reference_run(const Program& program, const MachineConfig& machine) {
  return ReferenceCore(program, machine).run();
}

}  // namespace trn
