// One rank's cores, as events.
#pragma once

#include <map>
#include <vector>

#include "sim/timeline/pending_posts.h"
#include "sim/timeline/region_tracker.h"
#include "sim/timeline/run_events.h"

namespace trn {

class CoreRecorder : public ExecutionObserver {
 public:
  // `next_arrow` is shared by all ranks. The arguments must outlive it; `next` may be null.
  CoreRecorder(std::uint64_t rank, const Program& program, const CoreConfig& core,
               const std::vector<EventSink*>& sinks, ArrowId& next_arrow, ExecutionObserver* next);

  void issued(const IssuedInstruction& issued) override;
  std::optional<std::int32_t> register_loaded(const IssuedInstruction& issued) override;
  std::uint64_t transfer_triggered(const IssuedInstruction& issued, Picoseconds first_byte,
                                   const TransferShape& shape) override;
  void transfer_done(std::uint64_t transfer, Picoseconds started, Picoseconds now) override;

  // The oldest collective on this axis and stream that is not done yet is.
  CollectiveEvent collective_done(const CollectiveRecord& record);
  void finish();

 private:
  struct Transfer {
    InstructionEvent trigger;
    TransferShape shape;
    RegionTracker::Pass* pass;
    std::uint64_t number;  // next's
  };

  InstructionEvent event(const IssuedInstruction& issued);
  RegionTracker& regions(std::uint32_t core) { return regions_[core]; }

  const std::uint64_t rank_;
  const Program& program_;
  const CoreConfig core_;
  const std::vector<EventSink*>& sinks_;
  ArrowId& next_arrow_;
  ExecutionObserver* const next_;
  std::vector<PendingPosts> posts_;          // by core
  std::vector<RegionTracker> regions_;       // by core
  std::vector<std::uint64_t> instructions_;  // by core and engine
  std::map<std::uint64_t, Transfer> transfers_;
  std::uint64_t triggered_ = 0;
  // Under way, by axis and stream, each of which ends them in order.
  std::map<std::pair<std::string, std::uint32_t>, std::deque<ArrowId>> collectives_;
};

}  // namespace trn
