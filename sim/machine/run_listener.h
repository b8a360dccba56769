// Told what a machine does while it runs: what timelines and tables are made of. Nothing of it is paid for
// where nobody listens.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/flow/flow_listener.h"
#include "isa/job.h"
#include "models/core/engine/execution_observer.h"
#include "models/interconnect/collectives/move_listener.h"
#include "models/machine_config.h"
#include "models/memory/dma/packet_listener.h"

namespace trn {

enum class Simulated : std::uint8_t { kOneRank, kEveryRank };  // kOneRank: it stands for all

// A resource whose rate is worth showing.
struct ResourceLabel {
  enum class Kind : std::uint8_t { kMemory, kLink, kDmaEngines };
  Kind kind = Kind::kLink;
  std::uint32_t resource = 0;  // of the flow engine
  std::uint64_t rank = 0;      // whose it is, or the first one of its chip
  std::string name;
  double capacity = 0;  // as the flow engine counts it
  double scale = 1;     // from what it counts to what the name says: a rank may see its part of a link only
};

struct CollectiveRecord {
  std::uint64_t rank = 0;
  CollectiveDecl decl;
  std::string algorithm;
  std::uint64_t ranks = 1;  // of its group
  std::string members;      // "0,4,8"; only where every rank is simulated
  Picoseconds issued, started, done;
  std::uint16_t semaphore = kNoSemaphore;  // posted to on every core of the rank
  std::uint32_t region = 0;
};

class RunListener {
 public:
  virtual ~RunListener() = default;
  // Before time 0; UserErrors may leave from here, and from nowhere else. The job stands until end.
  virtual void begin(const Job& job, const MachineConfig& machine, Simulated simulated) = 0;
  // After a run that came to its end.
  virtual void end() = 0;
  virtual void resource(const ResourceLabel& label) = 0;
  virtual FlowListener* flows() = 0;
  // Who observes the cores of a rank, and passes on to `next` (may be null).
  virtual ExecutionObserver* cores(std::uint64_t rank, ExecutionObserver* next) = 0;
  // Who listens to the packets of a rank, where they are simulated one by one; null: nobody.
  virtual PacketListener* packets(std::uint64_t rank) = 0;
  // In order of completion.
  virtual void collective(const CollectiveRecord& record) = 0;
  // Who listens to the moves of a collective that starts now, whose sites are these ranks; null: nobody.
  virtual std::unique_ptr<MoveListener> moves(const std::vector<std::uint64_t>& ranks,
                                              const CollectiveDecl& decl) = 0;
};

}  // namespace trn
