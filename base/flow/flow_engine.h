// Flows over time: remaining bytes, re-solved rates, completions. Pure: time goes in, time comes out.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "base/flow/class_census.h"
#include "base/flow/flow_graph.h"
#include "base/flow/flow_listener.h"
#include "base/flow/flow_mover.h"
#include "base/flow/level_sweep.h"
#include "base/flow/rate_memo.h"
#include "base/flow/resource_ledger.h"
#include "base/flow/service_queue.h"
#include "base/flow/start_order.h"
#include "base/flow/time_heap.h"
#include "base/flow/turning_solver.h"

namespace trn {

// Flows of a class have one shape, hence one rate: rates are solved for classes, and a class serves its flows
// by one clock. Only what a start or a completion reaches is re-solved: its connected component, where that
// is small or all of it changes anyway, else what a LevelSweep meets. Simultaneous changes are solved once.
// Flow numbers are reused; order of start is kept by a serial number, so that rates are the same bits for the
// same history. Completions are rounded up to a picosecond.
class FlowEngine final : public FlowMover {
 public:
  using ResourceReport = trn::ResourceReport;
  // What is solved again: what a change reaches, or always its component, as a yardstick.
  enum class Reach : std::uint8_t { kChanged, kComponent };

  explicit FlowEngine(Reach reach = Reach::kChanged) : reach_(reach) {}

  using FlowMover::add_resource;
  std::uint32_t add_resource(std::string name, double capacity, TurnShape turning) override;
  FlowClassId intern(const FlowShape& shape) override;
  FlowId start(Picoseconds now, FlowClassId flow_class, Bytes bytes) override;
  // In a class of its own, which ends with it.
  FlowId start(Picoseconds now, const FlowSpec& spec) override;
  std::optional<Picoseconds> next_completion(Picoseconds now) override;
  void take_completed(Picoseconds now, std::vector<FlowId>& completed) override;

  // Before the first flow; it must outlive the engine. What it hears changes nothing.
  void listen(FlowListener* listener) { listener_ = listener; }

  std::size_t active() const { return active_count_; }
  std::uint64_t solves() const { return solves_; }      // of components whose rates had to be worked out,
  std::uint64_t recalled() const { return recalled_; }  // or were known from before
  std::uint64_t sweeps() const { return sweeps_; }      // over what changes reached,
  std::uint64_t reached() const { return reached_classes_; }  // which were so many classes
  double rate(FlowId flow) const { return classes_[class_of_[flow]].queue.rate(); }
  // Some flow was active, up to the last completion after which none was.
  Picoseconds active_time() const { return active_time_; }
  // Up to the last completion or solve.
  std::vector<ResourceReport> report() const { return ledger_.report(); }

 private:
  struct Class {
    FlowShape shape;
    ServiceQueue queue;
    std::uint32_t binding = kOwnCap;
    std::uint64_t age = 0;  // serial number when it came to be; classes are solved in this order
    FlowWatch* watch = nullptr;
    bool interned = false;
    bool changed = false;   // flows joined or left since rates were settled
    bool attached = false;  // to the graph; an empty class stays until rates are settled
  };

  void take(FlowClassId id, Picoseconds now);
  void touch(FlowClassId id, Picoseconds now);

  void settle(Picoseconds now);
  void settle_component(Picoseconds now);
  void settle_reached(Picoseconds now);
  void attach(FlowClassId id);
  void detach(FlowClassId id);
  const RateMemo::Entry& rates_of_component();
  void apply(FlowClassId id, const FlowShare& share, Picoseconds now);
  void turn(const TurningSolver::Turning& turning, Picoseconds now);
  void account(Class& c, const ServiceQueue::Served& served);
  void rebind(Class& c, std::uint32_t binding, Picoseconds now);
  void tell(FlowClassId id, Picoseconds now);

  const Reach reach_;
  FlowListener* listener_ = nullptr;
  std::vector<Class> classes_;
  std::vector<FlowClassId> free_classes_;  // of single flows
  std::unordered_multimap<std::uint64_t, FlowClassId> interned_;
  std::vector<FlowClassId> class_of_;  // by flow
  std::vector<FlowId> free_;
  TimeHeap ends_;  // by class: of its first flow
  std::uint64_t next_serial_ = 0;
  std::size_t active_count_ = 0;
  Picoseconds active_since_, active_time_;
  ResourceLedger ledger_;

  FlowGraph graph_;
  ClassCensus census_;
  LevelSweep sweep_;
  TurningSolver solver_;
  RateMemo memo_;
  Picoseconds changed_at_;
  std::uint64_t solves_ = 0, recalled_ = 0, sweeps_ = 0, reached_classes_ = 0;
  std::vector<FlowClassId> changed_;
  std::vector<std::uint32_t> due_;
  std::vector<FlowClassId> component_, reached_;
  std::vector<FlowDemand> demands_;
  RateMemo::Entry solved_;
  std::vector<ServiceQueue::Entry> ended_;
  StartOrder order_;
};

}  // namespace trn
