#include "models/core/engine/core_evaluator.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/text.h"
#include "isa/bounds.h"

namespace trn {
namespace {

constexpr Picoseconds kNever = Picoseconds::max();
constexpr std::uint64_t kNoFetch = std::numeric_limits<std::uint64_t>::max();

// Sync only moves data, and its transfers are counted where they move.
bool computes(Engine engine) { return engine != Engine::kSync; }

}  // namespace

CoreEvaluator::CoreEvaluator(const Program& program, const CoreConfig& config, ExecutionObserver* observer)
    : program_(program), config_(config), observer_(observer), regions_(program.regions.size()) {
  if (config.sequencer.fetch_block.count() > 0) fetch_shape_ = fetch_shape(config);
  TRN_CHECK(!program.cores.empty() && program.cores.size() <= 2, "a program has one or two cores");
  for (std::uint32_t c = 0; c < program.cores.size(); ++c) {
    cores_.emplace_back(config, program);
    for (const EngineInfo& info : kEngines) {
      EngineState& engine = engines_.emplace_back();
      engine.core = c;
      engine.engine = info.engine;
      engine.stream = lower(program.cores[c].streams[index_of(info.engine)], info.engine, program, config);
      engine.fetch = EdgeStep(engine.stream.fetch, engine.stream.clock);
      engine.taken_branch = EdgeStep(config.sequencer.taken_branch, engine.stream.clock);
      engine.table_load =
          EdgeStep(engine.stream.clock.first_edge_at_or_after(config.scalar.table_load), engine.stream.clock);
      engine.until_fetch = config.sequencer.fetch_block.count() > 0 ? 1 : kNoFetch;
      engine.stats.wait_by_region.resize(program.regions.size());
    }
  }
  for (const EngineState& engine : engines_) note_external_posts(engine);
  ready_.resize(engines_.size());
  base_.resize(engines_.size());
  needed_.resize(engines_.size());
  for (std::size_t e = 0; e < engines_.size(); ++e) prepare(e);
}

// A transfer posts to the core that triggered it or to its sibling, a collective to every core of the rank.
void CoreEvaluator::note_external_posts(const EngineState& engine) {
  for (const TimingOp& op : engine.stream.ops) {
    if (op.post_semaphore == kNoSemaphore) continue;
    if (op.kind == TimingOp::Kind::kDma) {
      CoreState& core = cores_[op.post_sibling ? engine.core ^ 1u : engine.core];
      core.external[op.post_semaphore] = 1;
      core.waits.posted_by(op.post_semaphore, WaitCause::kTransfer);
    } else if (op.kind == TimingOp::Kind::kCollective) {
      const bool tensor_axis = program_.collectives[op.detail].axis == "tp";
      for (CoreState& core : cores_) {
        core.external[op.post_semaphore] = 1;
        core.waits.posted_by(op.post_semaphore, tensor_axis ? WaitCause::kTensorAxis : WaitCause::kDataAxis);
      }
    }
  }
}

bool CoreEvaluator::done() const {
  return std::all_of(engines_.begin(), engines_.end(), [](const EngineState& engine) {
    return engine.stream.ops[engine.at].kind == TimingOp::Kind::kEnd;
  });
}

Picoseconds CoreEvaluator::finish() const {
  Picoseconds last;
  for (const EngineState& engine : engines_) last = std::max(last, engine.complete);
  return last;
}

void CoreEvaluator::enter(EngineState& engine, std::uint32_t region, Picoseconds start) {
  add_visit(engine.visit, engine.stats, engine.complete, computes(engine.engine), regions_);
  engine.visit = {region, start, engine.stats.instructions, engine.stats.flops};
}

std::vector<RegionWork> CoreEvaluator::regions() const {
  std::vector<RegionWork> all = regions_;
  for (const EngineState& engine : engines_)
    add_visit(engine.visit, engine.stats, engine.complete, computes(engine.engine), all);
  return all;
}

void CoreEvaluator::complete(const Completion& completion, Picoseconds now) {
  const Picoseconds visible = now + config_.dma.completion_latency;
  if (completion.queue) {
    cores_[completion.core].rings.post(*completion.queue, 1, visible);
    for (std::size_t e = completion.core * kEngineCount; e < (completion.core + 1) * kEngineCount; ++e)
      if ((external_ >> e & 1u) != 0) resolve(e);
  }
  if (completion.semaphore != kNoSemaphore)
    post(completion.sibling ? completion.core ^ 1u : completion.core, completion.semaphore,
         completion.increment, visible);
}

void CoreEvaluator::run_ahead(Picoseconds now) {
  transfers_.clear();
  collectives_.clear();
  while (step(now + config_.dma.completion_latency)) {
  }
}

// Issues from the engine that is ready first, in (time, engine) order, until another one comes first or a
// completion could still change the order. `horizon`: completions are visible from then on.
bool CoreEvaluator::step(Picoseconds horizon) {
  wake_at_.reset();
  if (!fault_.empty()) return false;
  std::size_t first = 0;
  Picoseconds ready = kNever;
  Picoseconds limit = kNever;  // nothing may issue at or after this
  for (std::size_t e = 0; e < ready_.size(); ++e) {
    if (ready_[e] < ready) {
      limit = ready;
      ready = ready_[e];
      first = e;
    } else {
      limit = std::min(limit, ready_[e]);
    }
  }
  if (ready == kNever) return false;
  for (std::uint32_t rest = external_; rest != 0; rest &= rest - 1) {
    const std::size_t e = static_cast<std::size_t>(__builtin_ctz(rest));
    if (ready_[e] < horizon) continue;
    const Picoseconds bound = std::max(base_[e], horizon);
    if (bound <= ready) {
      wake_at_ = ready - config_.dma.completion_latency + Picoseconds(1);
      return false;
    }
    limit = std::min(limit, bound);
  }
  woke_ = false;
  do {
    issue(first);
  } while (!woke_ && ready_[first] < limit && (external_ >> first & 1u) == 0);
  return true;
}

void CoreEvaluator::skip_loops(EngineState& engine) {
  const std::vector<TimingOp>& ops = engine.stream.ops;
  for (;;) {
    const TimingOp& op = ops[engine.at];
    if (op.kind == TimingOp::Kind::kLoop) {
      engine.iteration[engine.depth++] = 0;
      ++engine.at;
    } else if (op.kind == TimingOp::Kind::kEndLoop) {
      if (++engine.iteration[engine.depth - 1] < op.repeat) {
        engine.at = op.body_end + 1;
      } else {
        --engine.depth;
        ++engine.at;
      }
    } else {
      return;
    }
  }
}

void CoreEvaluator::prepare(std::size_t e) {
  EngineState& engine = engines_[e];
  skip_loops(engine);
  const TimingOp& op = engine.stream.ops[engine.at];
  external_ &= ~(1u << e);
  if (op.kind == TimingOp::Kind::kEnd) {
    ready_[e] = kNever;
    return;
  }
  engine.start = earliest(engine, op);
  base_[e] = engine.start.time();
  ready_[e] = base_[e];  // stands unless resolve finds an open wait
  if (op.wait_reg != kNoRegister && !engine.sequencer.value(op.wait_reg))
    fail(engine, op, "waits for a value in a register that is not known; run it on data (--functional)");
  if (op.wait_semaphore != kNoSemaphore) needed_[e] = wait_value(engine, op);
  if (op.wait_semaphore != kNoSemaphore || op.kind == TimingOp::Kind::kDma ||
      op.kind == TimingOp::Kind::kClear)
    resolve(e);
}

// The issue time that the engine's own units allow.
EdgeTime CoreEvaluator::earliest(const EngineState& engine, const TimingOp& op) const {
  const CoreState& core = cores_[engine.core];
  const auto later = [](const EdgeTime& a, const EdgeTime& b) { return a.time() < b.time() ? b : a; };
  switch (op.kind) {
    case TimingOp::Kind::kArray: {
      EdgeTime start = engine.slot;
      for (std::uint32_t rest = op.cells; rest != 0; rest &= rest - 1) {
        const ArrayCell& cell = core.array[static_cast<std::size_t>(__builtin_ctz(rest))];
        start = later(later(start, cell.free), cell.weights_ready);
      }
      if (op.background) {
        const EdgeTime beside = later(engine.slot, core.background_free);
        if (beside.time() < start.time()) return beside;
      }
      return start;
    }
    case TimingOp::Kind::kWeights: {
      EdgeTime start = engine.slot;
      for (std::uint32_t rest = op.cells; rest != 0; rest &= rest - 1) {
        const ArrayCell& cell = core.array[static_cast<std::size_t>(__builtin_ctz(rest))];
        start = later(later(start, cell.load_free), cell.shadow_free);
      }
      return start;
    }
    case TimingOp::Kind::kDma: {
      const Picoseconds unit = core.descriptor_unit[index_of(engine.engine)];
      return unit <= engine.slot.time() ? engine.slot : EdgeTime::at_or_after(unit, engine.stream.clock);
    }
    default:
      return engine.slot;
  }
}

std::int64_t CoreEvaluator::wait_value(const EngineState& engine, const TimingOp& op) const {
  std::int64_t value = op.wait_value;
  for (std::uint32_t t = op.first_term; t < op.first_term + op.term_count; ++t)
    value += engine.stream.terms[t].coefficient *
             static_cast<std::int64_t>(engine.iteration[engine.stream.terms[t].loop]);
  if (op.wait_reg != kNoRegister) value += engine.sequencer.value(op.wait_reg).value_or(0);
  return value;
}

// Finds when the engine's open waits are satisfied by the posts known so far.
void CoreEvaluator::resolve(std::size_t e) {
  EngineState& engine = engines_[e];
  const TimingOp& op = engine.stream.ops[engine.at];
  CoreState& core = cores_[engine.core];
  Picoseconds satisfied;
  external_ &= ~(1u << e);
  // What a clear finds must be known: it waits for the kernel's time.
  if (op.kind == TimingOp::Kind::kClear && core.external[op.detail] != 0) external_ |= 1u << e;
  if (op.wait_semaphore != kNoSemaphore) {
    core.semaphores.settle(op.wait_semaphore, current_);
    const std::optional<Picoseconds> reached = core.semaphores.reached(op.wait_semaphore, needed_[e]);
    satisfied = reached.value_or(kNever);
    if (satisfied > current_) {
      core.waiters[op.wait_semaphore] |= 1u << e;
      if (core.external[op.wait_semaphore] != 0) external_ |= 1u << e;
    }
  }
  if (op.kind == TimingOp::Kind::kDma && core.issued[op.queue] >= config_.dma.queue_depth) {
    core.rings.settle(op.queue, current_);
    const std::int64_t needed =
        static_cast<std::int64_t>(core.issued[op.queue] + 1 - config_.dma.queue_depth);
    const std::optional<Picoseconds> freed = core.rings.reached(op.queue, needed);
    satisfied = std::max(satisfied, freed.value_or(kNever));
    if (!freed || *freed > current_) external_ |= 1u << e;
  }
  // Found before: the posts that satisfied it are settled by now, and later ones cannot make it earlier. (A
  // completion can also arrive for a time that is already settled, but then the engine is not free yet.)
  if (ready_[e] != kNever && satisfied <= current_ && base_[e] <= current_) return;
  const EdgeTime own = earliest(engine, op);
  if (satisfied == kNever) {
    ready_[e] = kNever;
  } else if (satisfied <= own.time()) {
    engine.start = own;
    ready_[e] = own.time();
  } else {
    engine.start = EdgeTime::at_or_after(satisfied, engine.stream.clock);
    ready_[e] = engine.start.time();
  }
}

void CoreEvaluator::issue(std::size_t e) {
  EngineState& engine = engines_[e];
  const TimingOp& op = engine.stream.ops[engine.at];
  CoreState& core = cores_[engine.core];
  EngineStats& stats = engine.stats;
  TRN_CHECK(ready_[e] >= current_, "an instruction would issue in the past");
  current_ = ready_[e];
  if (op.dynamic && !addresses_valid(engine, op)) return;

  const Picoseconds waited = ready_[e] - base_[e];
  if (waited.count() > 0) {
    stats.semaphore_wait += waited;
    stats.wait_by_region[op.region] += waited;
    // The array stands still only after the matmul before: weights may be waited for under it.
    const Picoseconds idle = std::max(base_[e], core.array_until);
    if (engine.engine == Engine::kTensor && idle < ready_[e])
      core.waits.tensor_waited(idle, ready_[e], op.wait_semaphore);
    if ((engine.engine == Engine::kSync || engine.engine == Engine::kVector ||
         engine.engine == Engine::kScalar) &&
        op.wait_semaphore != kNoSemaphore)
      core.waits.waited(engine.engine, base_[e], ready_[e], op.wait_semaphore);
  }
  if (op.wait_semaphore != kNoSemaphore) core.waiters[op.wait_semaphore] &= ~(1u << e);

  std::uint64_t banks = 0;
  const EdgeTime start = reserve(engine, op, e, banks);
  const Clock clock = engine.stream.clock;
  EdgeTime read = start.plus(op.busy, clock);
  EdgeTime slot = read;
  Picoseconds complete = read.time();
  Picoseconds limited;
  std::size_t next = engine.at + 1;
  if (op.region != engine.visit.region) enter(engine, op.region, start.time());
  ++stats.instructions;
  if (--engine.until_fetch == 0) fetch_next_block(engine, start.time());

  switch (op.kind) {
    case TimingOp::Kind::kArray: {
      const std::uint64_t factor = core.limiter.factor(start.time());
      const Picoseconds unlimited = read.time();
      for (std::uint64_t i = 1; i < factor; ++i) read = read.plus(op.busy, clock);
      limited = read.time() - unlimited;
      stats.limiter_stall += limited;
      // Parts of the array overlap: it is busy while any of them is.
      const Picoseconds from = std::max(start.time(), core.array_until);
      const Picoseconds busy = read.time() > from ? read.time() - from : Picoseconds(0);
      core.array_time.add({start.time(), from, unlimited, read.time()}, op.flops > 0, stats);
      core.array_until = std::max(core.array_until, read.time());
      if (busy.count() > 0) core.limiter.occupied(from, read.time());
      if (op.background && core.background_free.time() <= start.time()) {
        core.background_free = read;
      } else {
        for (std::uint32_t rest = op.cells; rest != 0; rest &= rest - 1) {
          ArrayCell& cell = core.array[static_cast<std::size_t>(__builtin_ctz(rest))];
          cell.free = read;
          cell.shadow_free = start;
        }
      }
      complete = read.plus(op.latency, clock).time();
      slot = start.plus(engine.fetch, clock);
      stats.flops += op.flops;
      stats.matmuls += op.flops > 0 ? 1 : 0;
      stats.transposes += op.flops == 0 ? 1 : 0;
      stats.busy += busy;
      stats.array_busy += busy;
      break;
    }
    case TimingOp::Kind::kWeights:
      for (std::uint32_t rest = op.cells; rest != 0; rest &= rest - 1) {
        ArrayCell& cell = core.array[static_cast<std::size_t>(__builtin_ctz(rest))];
        cell.load_free = cell.weights_ready = cell.shadow_free = read;
      }
      slot = start.plus(engine.fetch, clock);
      break;
    case TimingOp::Kind::kData:
      if (op.table != 0 && op.table != engine.table) {
        read = read.plus(engine.table_load, clock);
        slot = read;
        engine.table = op.table;
        ++stats.table_loads;
      }
      complete = read.plus(op.latency, clock).time();
      stats.busy += read.time() - start.time();
      break;
    case TimingOp::Kind::kSequencer:
      next = control_flow(engine, op, read);
      slot = read;
      complete = read.time();
      stats.busy += read.time() - start.time();
      break;
    case TimingOp::Kind::kClear:
      clear(e, static_cast<std::uint16_t>(op.detail));
      stats.busy += read.time() - start.time();
      break;
    case TimingOp::Kind::kDma:
    case TimingOp::Kind::kCollective:
      read = slot = EdgeTime::at_or_after(start.time() + Picoseconds(op.busy_ps), clock);
      complete = read.time();
      trigger(e, op, start, complete);
      stats.busy += read.time() - start.time();
      break;
    default:
      stats.busy += read.time() - start.time();
      break;
  }
  if (banks != 0 || op.takes_bus || op.takes_psum_port) hold(op, e, banks, read.time());
  if (complete > engine.complete) {
    if (op.kind == TimingOp::Kind::kData || op.kind == TimingOp::Kind::kArray)
      stats.active += complete - std::max(start.time(), engine.complete);
    engine.complete = complete;
  }
  if (op.fetch_bound) {
    const EdgeTime fetched = start.plus(engine.fetch, clock);
    if (slot.time() < fetched.time()) slot = fetched;
  }
  engine.slot = slot;
  if (observer_ != nullptr && op.kind != TimingOp::Kind::kDma) {
    IssuedInstruction told = issued(engine, op, start.time(), engine.complete);
    told.read = read.time();
    told.ready = current_;
    told.waited = waited;
    told.limited = limited;
    told.flops = op.flops;
    observer_->issued(told);
  }

  const bool crosses = op.kind == TimingOp::Kind::kDma || op.kind == TimingOp::Kind::kCollective;
  if (op.post_semaphore != kNoSemaphore && !crosses) {
    const Picoseconds at = op.post_at_read ? read.time() : engine.complete;
    if (op.post_sibling)
      post(engine.core ^ 1u, op.post_semaphore, op.post_increment, at + config_.semaphores.sibling_hop);
    else
      post(engine.core, op.post_semaphore, op.post_increment, at + config_.semaphores.hop);
  }
  engine.at = next;
  prepare(e);
}

// Runs a control instruction that ends at `end`; returns the op that comes next.
std::size_t CoreEvaluator::control_flow(EngineState& engine, const TimingOp& op, EdgeTime& end) {
  constexpr std::uint64_t kMostJumps = 10'000'000;
  const Instruction& i = *op.source;
  if (i.opcode == Opcode::kLoadRegister) {
    std::optional<std::int32_t> found;
    if (observer_ != nullptr) found = observer_->register_loaded(issued(engine, op, current_, end.time()));
    engine.sequencer.set(i.control.reg, found);
    return engine.at + 1;
  }
  const Instruction* loop =
      i.opcode == Opcode::kEndLoop ? engine.stream.ops[op.body_end - 1].source : nullptr;
  const Sequencer::Outcome outcome = engine.sequencer.execute(i, loop);
  if (!outcome.problem.empty()) {
    fail(engine, op, outcome.problem);
    return engine.at;
  }
  if (!outcome.jump) return engine.at + 1;
  if (++engine.jumps == kMostJumps)
    fail(engine, op, "has jumped " + with_commas(kMostJumps) + " times; does its loop end?");
  if (i.opcode == Opcode::kBranch) end = end.plus(engine.taken_branch, engine.stream.clock);
  return op.body_end;
}

// What waited for the semaphore, even if it was satisfied and only its engine was not free, waits again.
void CoreEvaluator::clear(std::size_t e, std::uint16_t semaphore) {
  CoreState& core = cores_[engines_[e].core];
  core.semaphores.settle(semaphore, current_);
  core.semaphores.clear(semaphore);
  const std::size_t first = engines_[e].core * kEngineCount;
  for (std::size_t other = first; other < first + kEngineCount; ++other)
    if (other != e && engines_[other].stream.ops[engines_[other].at].wait_semaphore == semaphore)
      resolve(other);
  woke_ = true;
}

// Operands whose place a register gives, as far as it is known.
bool CoreEvaluator::addresses_valid(const EngineState& engine, const TimingOp& op) {
  const Instruction& before = *op.source;
  const Instruction i = resolved(issued(engine, op, current_, current_));
  const auto problem = [&](const AccessPattern& p, const AccessPattern& original) -> std::string {
    if (!original.dynamic() || p.dynamic()) return "";
    return bounds_problem(p, program_.tensors[p.tensor], {p.row, p.row}, {p.offset, p.offset});
  };
  std::string found = takes_destination(info(i.opcode).operands) ? problem(i.dst, before.dst) : "";
  for (std::size_t s = 0; s < i.source_count && found.empty(); ++s) found = problem(i.src[s], before.src[s]);
  if (!found.empty()) fail(engine, op, found);
  return found.empty();
}

void CoreEvaluator::fail(const EngineState& engine, const TimingOp& op, const std::string& what) {
  woke_ = true;
  if (!fault_.empty()) return;
  fault_ = "core " + std::to_string(engine.core) + ' ' + std::string(short_name(engine.engine)) + ' ' +
           std::string(info(op.source->opcode).mnemonic) + " in region " + program_.regions[op.region] +
           ": " + what;
}

// The issue time after the shared resources that other engines hold.
EdgeTime CoreEvaluator::reserve(EngineState& engine, const TimingOp& op, std::size_t e,
                                std::uint64_t& banks) {
  if (op.banks == 0 && op.moving_count == 0 && !op.takes_bus && !op.takes_psum_port) return engine.start;
  CoreState& core = cores_[engine.core];
  banks = touched_banks(engine, op);
  Picoseconds free = ready_[e];
  const auto consider = [&](const Reservation& r) {
    if (r.owner != e) free = std::max(free, r.until);
  };
  for (std::uint64_t rest = banks; rest != 0; rest &= rest - 1)
    consider(core.banks[static_cast<std::size_t>(__builtin_ctzll(rest))]);
  if (op.takes_bus) consider(core.bus);
  if (op.takes_psum_port) consider(core.psum_port);
  if (free == ready_[e]) return engine.start;
  const EdgeTime start = EdgeTime::at_or_after(free, engine.stream.clock);
  engine.stats.conflict_wait += start.time() - ready_[e];
  return start;
}

void CoreEvaluator::hold(const TimingOp& op, std::size_t e, std::uint64_t banks, Picoseconds until) {
  CoreState& core = cores_[engines_[e].core];
  for (std::uint64_t rest = banks; rest != 0; rest &= rest - 1)
    core.banks[static_cast<std::size_t>(__builtin_ctzll(rest))] = {until, e};
  if (op.takes_bus) core.bus = {until, e};
  if (op.takes_psum_port) core.psum_port = {until, e};
}

std::uint64_t CoreEvaluator::touched_banks(const EngineState& engine, const TimingOp& op) const {
  std::uint64_t mask = op.banks;
  for (std::uint32_t m = 0; m < op.moving_count; ++m)
    mask |= moving_mask(engine, engine.stream.moving_banks[static_cast<std::size_t>(op.moving_banks) + m]);
  return mask;
}

std::uint64_t CoreEvaluator::moving_mask(const EngineState& engine, const MovingBanks& moving) const {
  std::int64_t first = moving.first_byte;
  std::uint64_t span = moving.span;
  for (const LoopTerm& term : moving.terms)
    first += term.coefficient * static_cast<std::int64_t>(engine.iteration[term.loop]);
  if (moving.reg != kNoRegister) {
    const std::optional<std::int32_t> value = engine.sequencer.value(moving.reg);
    if (!value) span = moving.high - moving.low;
    first = value ? first + *value * moving.reg_bytes : static_cast<std::int64_t>(moving.low);
  }
  std::uint64_t mask = 0;
  const std::uint64_t bank = config_.psum.bank_bytes.count();
  const std::uint64_t from = static_cast<std::uint64_t>(first) / bank;
  const std::uint64_t to = (static_cast<std::uint64_t>(first) + span - 1) / bank;
  for (std::uint64_t b = from; b <= to; ++b) mask |= std::uint64_t{1} << (b % config_.psum.banks);
  return mask;
}

// Entering a block asks for the one after it. Streams lie unrolled in HBM: a loop's next iteration is fetched
// like the first. The engine does not wait for it; its bound is the fixed rate of the prefetch.
void CoreEvaluator::fetch_next_block(EngineState& engine, Picoseconds entered) {
  engine.until_fetch = config_.sequencer.fetch_block_instructions;
  TransferRequest request;
  request.core = engine.core;
  request.queue = static_cast<std::uint16_t>(program_.queues.size() + index_of(engine.engine));
  request.first_byte = entered + start_delay(fetch_shape_, DescriptorMode::kStatic, config_.dma);
  request.shape = fetch_shape_;
  request.triggered = entered;
  request.fetch = true;
  transfers_.push_back(request);
}

void CoreEvaluator::trigger(std::size_t e, const TimingOp& op, EdgeTime start, Picoseconds end) {
  EngineState& engine = engines_[e];
  CoreState& core = cores_[engine.core];
  if (op.kind == TimingOp::Kind::kCollective) {
    collectives_.push_back(
        {engine.core, op.detail, op.post_semaphore, op.post_increment, op.region, start.time()});
    return;
  }
  const TransferShape& shape = engine.stream.transfers[op.detail];
  const DescriptorMode mode = program_.queues[op.queue].mode;
  core.descriptor_unit[index_of(engine.engine)] = start.time() + descriptor_time(shape, mode, config_.dma);
  ++core.issued[op.queue];
  ++engine.stats.transfers;
  const Picoseconds first_byte = start.time() + start_delay(shape, mode, config_.dma);
  std::uint64_t number = 0;
  if (observer_ != nullptr) {
    IssuedInstruction told = issued(engine, op, start.time(), end);
    told.read = end;
    told.ready = ready_[e];
    told.waited = ready_[e] - base_[e];
    number = observer_->transfer_triggered(told, first_byte, shape);
  }
  transfers_.push_back({engine.core, op.queue, op.post_semaphore, op.post_increment, op.post_sibling,
                        op.region, number, first_byte, shape, start.time(), false});
}

IssuedInstruction CoreEvaluator::issued(const EngineState& engine, const TimingOp& op, Picoseconds start,
                                        Picoseconds complete) const {
  return {engine.core, engine.engine, *op.source, engine.iteration.data(), engine.sequencer, start, complete};
}

void CoreEvaluator::post(std::uint32_t core, std::uint16_t semaphore, std::uint64_t increment,
                         Picoseconds visible) {
  CoreState& state = cores_[core];
  state.semaphores.settle(semaphore, current_);
  state.semaphores.post(semaphore, increment, visible);
  const auto final_value = static_cast<std::int64_t>(state.semaphores.final_value(semaphore));
  for (std::uint32_t rest = state.waiters[semaphore]; rest != 0; rest &= rest - 1) {
    const auto e = static_cast<std::size_t>(__builtin_ctz(rest));
    if (final_value < needed_[e]) continue;  // not yet: stays as it is
    resolve(e);
    woke_ = true;
  }
}

std::string CoreEvaluator::open_wait(std::uint32_t core, std::uint16_t semaphore, std::int64_t needed) const {
  std::string text = ": waits for " + program_.semaphores[semaphore] + ">=" + std::to_string(needed) +
                     ", it is " + std::to_string(cores_[core].semaphores.final_value(semaphore));
  const std::optional<std::uint64_t> most = total_posts(program_, core, semaphore);
  if (most && static_cast<std::int64_t>(*most) < needed)
    text += " and can never get there: all posts of the program add up to " + std::to_string(*most);
  return text;
}

std::vector<std::string> CoreEvaluator::blocked() const {
  std::vector<std::string> lines;
  for (std::size_t e = 0; e < engines_.size(); ++e) {
    const EngineState& engine = engines_[e];
    const TimingOp& op = engine.stream.ops[engine.at];
    if (op.kind == TimingOp::Kind::kEnd || ready_[e] != kNever) continue;
    std::string line = "core " + std::to_string(engine.core) + ' ' + std::string(short_name(engine.engine)) +
                       " after " + with_commas(engine.stats.instructions) + " instructions, region " +
                       program_.regions[op.region];
    if (op.wait_semaphore != kNoSemaphore)
      line += open_wait(engine.core, op.wait_semaphore, needed_[e]);
    else
      line += ": waits for a free slot of queue " + program_.queues[op.queue].name;
    lines.push_back(line);
  }
  return lines;
}

}  // namespace trn
