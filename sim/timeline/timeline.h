// The timeline of a run as a Perfetto trace: a process a rank; tracks for the regions and engines of its
// cores, its DMA queues and its collectives; arrows from triggers over transfers to who stood still for them;
// counters.
#pragma once

#include <memory>

#include "sim/timeline/counters.h"
#include "sim/timeline/timeline_options.h"
#include "sim/timeline/timeline_tracks.h"

namespace trn {

class Timeline : public EventSink {
 public:
  // UsageError if the file cannot be opened.
  explicit Timeline(const TimelineOptions& options);

  // CapacityError, with the way out, if it is sure to become larger than allowed; UsageError if packets are
  // asked for and not simulated.
  void begin(const Job& job, const MachineConfig& machine, Simulated simulated,
             const std::vector<std::uint64_t>& ranks) override;
  void resource(const ResourceLabel& label) override { counters_.watch(label); }
  FlowListener* flows() override { return counters_.flows(); }
  void instruction(const InstructionEvent& e) override;
  void transfer(const TransferEvent& e) override;
  void collective(const CollectiveEvent& e) override;
  void move(const MoveEvent& e) override;
  // Written at the end, by time: they become known in no order, and are few.
  void region(const RegionEvent& e) override;
  void end() override;
  void packet(const PacketEvent& e) override;
  bool wants_moves() const override { return options_.level != TimelineLevel::kOperation; }
  bool wants_packets() const override { return options_.level == TimelineLevel::kPacket; }

  // After the run. CapacityError if it became larger than allowed, UsageError if it could not be written:
  // then there is no file.
  void commit();
  std::uint64_t bytes() const { return file_.bytes(); }
  std::uint64_t slices() const { return file_.slices(); }

 private:
  TimelineOptions options_;
  PerfettoFile file_;
  TimelineTracks tracks_;
  Counters counters_;
  std::vector<RegionEvent> regions_;
};

}  // namespace trn
