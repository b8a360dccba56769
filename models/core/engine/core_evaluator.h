// One rank's core (or LNC=2 pair of cores), evaluated ahead in local time by max-plus arithmetic.
// The rules that make it exact: docs/architecture.md#temporal-decoupling.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/core/engine/array_time.h"
#include "models/core/engine/core_stats.h"
#include "models/core/engine/execution_observer.h"
#include "models/core/engine/region_visits.h"
#include "models/core/engine/timing_program.h"
#include "models/core/engine/wait_attribution.h"
#include "models/core/semaphore/semaphore_file.h"
#include "models/core/tensor/current_limiter.h"

namespace trn {

// What a core asks of the memory system; `first_byte` may lie in the future of the kernel, never before.
struct TransferRequest {
  std::uint32_t core = 0;
  std::uint16_t queue = 0;
  std::uint16_t semaphore = kNoSemaphore;
  std::uint16_t increment = 0;
  bool sibling = false;  // posts to the other core of the pair
  std::uint32_t region = 0;
  std::uint64_t number = 0;  // as the observer gave it
  Picoseconds first_byte;
  TransferShape shape;
  Picoseconds triggered;
  bool fetch = false;  // of instructions: `queue` comes after the program's, one an engine; nobody waits
};

struct CollectiveRequest {
  std::uint32_t core = 0;
  std::uint32_t collective = 0;  // index into Program::collectives
  std::uint16_t semaphore = kNoSemaphore;
  std::uint16_t increment = 0;
  std::uint32_t region = 0;
  Picoseconds issued;
};

// The end of a transfer or collective, told to the core at its simulated time.
struct Completion {
  std::uint32_t core = 0;
  std::uint16_t semaphore = kNoSemaphore;
  std::uint16_t increment = 0;
  std::optional<std::uint16_t> queue;  // a transfer frees its ring slot
  bool sibling = false;                // the post goes to the other core of the pair
};

class CoreEvaluator {
 public:
  // `program` and `observer` must outlive the evaluator; without an observer nobody is told.
  CoreEvaluator(const Program& program, const CoreConfig& config, ExecutionObserver* observer = nullptr);

  // Issues every instruction whose time can no longer be changed by completions after `now`.
  void run_ahead(Picoseconds now);
  // Takes what the last run_ahead asked for, in order of time.
  std::vector<TransferRequest>& transfers() { return transfers_; }
  std::vector<CollectiveRequest>& collectives() { return collectives_; }
  // When to call run_ahead again if no completion comes before.
  std::optional<Picoseconds> wake_at() const { return wake_at_; }

  void complete(const Completion& completion, Picoseconds now);

  bool done() const;
  // What the program did wrong while it ran ("" nothing): an address or a branch on data. It then stands
  // still.
  const std::string& fault() const { return fault_; }
  Picoseconds finish() const;  // last completion of an instruction so far
  // One line per engine that cannot go on: what it waits for.
  std::vector<std::string> blocked() const;

  std::size_t core_count() const { return cores_.size(); }
  const EngineStats& stats(std::size_t core, Engine engine) const {
    return engines_[core * kEngineCount + index_of(engine)].stats;
  }
  const WaitTimes& tensor_waits(std::size_t core) const { return cores_[core].waits.times(); }
  std::uint64_t limiter_activations(std::size_t core) const { return cores_[core].limiter.activations(); }
  // By region of the program, over all cores; sums to what the engines' counters say.
  std::vector<RegionWork> regions() const;

 private:
  struct EngineState {
    TimingStream stream;
    std::uint32_t core = 0;
    Engine engine = Engine::kTensor;
    std::size_t at = 0;  // current op
    std::uint32_t depth = 0;
    std::array<std::uint64_t, kMaxLoopDepth> iteration{};
    EdgeTime slot;   // earliest issue by the engine's own history
    EdgeTime start;  // issue time unless a shared resource delays it
    Picoseconds complete;
    std::uint8_t table = 0;
    EdgeStep table_load;
    EdgeStep fetch;  // to the next instruction at least
    EdgeStep taken_branch;
    EngineStats stats;
    RegionVisit visit;
    std::uint64_t jumps = 0;
    std::uint64_t until_fetch = 0;  // instructions, counting the next, up to the first of a block
    Sequencer sequencer;
  };
  struct Reservation {
    Picoseconds until;
    std::size_t owner = 0;
  };
  struct ArrayCell {
    EdgeTime free, weights_ready, load_free, shadow_free;
  };
  struct CoreState {
    CoreState(const CoreConfig& config, const Program& program)
        : semaphores(program.semaphores.size()),
          rings(program.queues.size()),
          waiters(program.semaphores.size()),
          external(program.semaphores.size()),
          issued(program.queues.size()),
          limiter(config.tensor),
          waits(program.semaphores.size()) {}
    SemaphoreFile semaphores;
    SemaphoreFile rings;                 // completed transfers a queue
    std::vector<std::uint32_t> waiters;  // engines to look at when the semaphore is posted, a bit each
    std::vector<char> external;          // posted by transfers or collectives
    std::vector<std::uint64_t> issued;   // transfers a queue
    std::array<Reservation, 64> banks{};
    Reservation bus;
    Reservation psum_port;
    std::array<Picoseconds, kEngineCount> descriptor_unit{};
    std::array<ArrayCell, 16> array{};  // the first alone where no instruction takes a part of the array
    EdgeTime background_free;           // of the transpose that runs beside
    Picoseconds array_until;            // some part of it is busy
    ArrayTime array_time;
    CurrentLimiter limiter;
    WaitAttribution waits;
  };

  void note_external_posts(const EngineState& engine);
  void prepare(std::size_t e);
  void skip_loops(EngineState& engine);
  EdgeTime earliest(const EngineState& engine, const TimingOp& op) const;
  void resolve(std::size_t e);
  std::int64_t wait_value(const EngineState& engine, const TimingOp& op) const;

  bool step(Picoseconds bound_base);
  void enter(EngineState& engine, std::uint32_t region, Picoseconds start);
  void issue(std::size_t e);
  EdgeTime reserve(EngineState& engine, const TimingOp& op, std::size_t e, std::uint64_t& banks);
  void hold(const TimingOp& op, std::size_t e, std::uint64_t banks, Picoseconds until);
  std::uint64_t touched_banks(const EngineState& engine, const TimingOp& op) const;
  std::uint64_t moving_mask(const EngineState& engine, const MovingBanks& moving) const;
  bool addresses_valid(const EngineState& engine, const TimingOp& op);
  std::size_t control_flow(EngineState& engine, const TimingOp& op, EdgeTime& end);
  void clear(std::size_t e, std::uint16_t semaphore);
  std::string open_wait(std::uint32_t core, std::uint16_t semaphore, std::int64_t needed) const;
  void fail(const EngineState& engine, const TimingOp& op, const std::string& what);
  void fetch_next_block(EngineState& engine, Picoseconds entered);
  void trigger(std::size_t e, const TimingOp& op, EdgeTime start, Picoseconds end);
  IssuedInstruction issued(const EngineState& engine, const TimingOp& op, Picoseconds start,
                           Picoseconds complete) const;
  void post(std::uint32_t core, std::uint16_t semaphore, std::uint64_t increment, Picoseconds visible);

  const Program& program_;
  CoreConfig config_;
  ExecutionObserver* observer_;
  std::vector<EngineState> engines_;
  // What step() scans, by engine, side by side: engines_[e].start's time, or max() while a wait is open; the
  // same without the wait; and, a bit each, which engines wait for something that a completion can bring.
  std::vector<Picoseconds> ready_;
  std::vector<Picoseconds> base_;
  std::uint32_t external_ = 0;
  std::vector<std::int64_t> needed_;  // by engine, the value its instruction waits for
  std::vector<CoreState> cores_;
  std::vector<RegionWork> regions_;  // of visits that have ended
  TransferShape fetch_shape_;
  Picoseconds current_;  // no instruction issues before this any more
  std::string fault_;
  bool woke_ = false;  // a post moved another engine's ready time
  std::optional<Picoseconds> wake_at_;
  std::vector<TransferRequest> transfers_;
  std::vector<CollectiveRequest> collectives_;
};

}  // namespace trn
