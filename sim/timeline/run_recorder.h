// Turns what a machine tells of a run into one stream of events, for any number of sinks.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "sim/timeline/core_recorder.h"

namespace trn {

class RunRecorder : public RunListener, private PacketListener {
 public:
  // `ranks`: only those, of runs that simulate every rank; nothing: all that are simulated. The sinks must
  // outlive it.
  RunRecorder(std::vector<EventSink*> sinks, std::optional<std::vector<std::uint64_t>> ranks);

  void begin(const Job& job, const MachineConfig& machine, Simulated simulated) override;
  void end() override;
  void resource(const ResourceLabel& label) override;
  FlowListener* flows() override;
  ExecutionObserver* cores(std::uint64_t rank, ExecutionObserver* next) override;
  PacketListener* packets(std::uint64_t rank) override;
  void collective(const CollectiveRecord& record) override;
  std::unique_ptr<MoveListener> moves(const std::vector<std::uint64_t>& ranks,
                                      const CollectiveDecl& decl) override;

 private:
  bool wanted(std::uint64_t rank) const;
  void packet(const EnginePacket& packet) override;

  std::vector<EventSink*> sinks_;
  std::optional<std::vector<std::uint64_t>> ranks_;
  const Job* job_ = nullptr;
  std::optional<CoreConfig> core_;
  Simulated simulated_ = Simulated::kOneRank;
  ArrowId next_arrow_ = 0;
  std::map<std::uint64_t, CoreRecorder> recorders_;  // by rank
};

}  // namespace trn
