// Runs one rank's program as data while it is timed: operands are read when an instruction starts, results
// appear when it completes.
#pragma once

#include <queue>
#include <string>
#include <vector>

#include "isa/semantics/executor.h"
#include "models/core/engine/execution_observer.h"
#include "models/machine_config.h"

namespace trn {

struct DataOptions {
  std::uint64_t seed = 1;  // of the numbers in HBM
  Precision precision = Precision::kHardware;
};

class DataExecution : public ExecutionObserver {
 public:
  // `program` must outlive it.
  DataExecution(const Program& program, const MachineConfig& machine,
                Precision precision = Precision::kHardware);

  RankMemory& memory() { return memory_; }
  const Executor& executor() const { return executor_; }

  void issued(const IssuedInstruction& issued) override;
  std::optional<std::int32_t> register_loaded(const IssuedInstruction& issued) override;
  std::uint64_t transfer_triggered(const IssuedInstruction& issued, Picoseconds first_byte,
                                   const TransferShape&) override;
  void transfer_done(std::uint64_t transfer, Picoseconds, Picoseconds now) override;
  // Everything that was issued takes effect.
  void finish() { advance(Picoseconds::max()); }

 private:
  enum class Step : std::uint8_t { kCommit, kRead };  // at one time, results come before reads
  struct Event {
    Picoseconds at;
    Step step;
    std::uint64_t item;
    bool operator<(const Event& o) const {  // for a queue whose top is the earliest
      if (at != o.at) return o.at < at;
      return step != o.step ? o.step < step : o.item < item;
    }
  };
  struct Item {
    std::uint32_t core;
    Engine engine;
    Instruction instruction;  // loop terms applied
    Effect effect;
    bool transfer = false;
  };

  std::uint64_t add(const IssuedInstruction& issued);
  void advance(Picoseconds before);
  void run(const Event& event);

  RankMemory memory_;
  Executor executor_;
  std::vector<Item> items_;
  std::priority_queue<Event> events_;
};

}  // namespace trn
