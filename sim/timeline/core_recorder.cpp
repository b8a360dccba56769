#include "sim/timeline/core_recorder.h"

#include "models/core/engine/op_cost.h"

namespace trn {

CoreRecorder::CoreRecorder(std::uint64_t rank, const Program& program, const CoreConfig& core,
                           const std::vector<EventSink*>& sinks, ArrowId& next_arrow, ExecutionObserver* next)
    : rank_(rank),
      program_(program),
      core_(core),
      sinks_(sinks),
      next_arrow_(next_arrow),
      next_(next),
      instructions_(program.cores.size() * kEngineCount) {
  for (std::uint32_t c = 0; c < program.cores.size(); ++c) {
    posts_.emplace_back(program.semaphores.size());
    regions_.emplace_back([this, c](const RegionTracker::Pass& pass) {
      for (EventSink* sink : sinks_)
        sink->region({rank_, c, &program_.regions[pass.region], pass.begin, pass.end});
    });
  }
}

InstructionEvent CoreRecorder::event(const IssuedInstruction& issued) {
  const Instruction& i = issued.instruction;
  InstructionEvent e{
      rank_,       issued.core,     issued.engine, program_,       i,           0, issued.start,
      issued.read, issued.complete, issued.waited, issued.limited, issued.flops};
  e.number = instructions_[issued.core * kEngineCount + index_of(issued.engine)]++;
  if (i.wait.semaphore != kNoSemaphore) {
    e.wait_value =
        i.wait.value + (i.wait.reg == kNoRegister ? 0 : issued.sequencer.value(i.wait.reg).value_or(0));
    for (const AffineTerm& term : i.affine)
      if (term.field == Field::kWaitValue)
        e.wait_value += term.coefficient * static_cast<std::int64_t>(issued.iteration[term.loop]);
    const Picoseconds period(1'000'000 / engine_clock(issued.engine, core_).frequency.count() + 1);
    if (e.waited.count() > 0) {
      const PendingPosts::Post post = posts_[issued.core].ended(i.wait.semaphore, issued.ready, period);
      e.waited_for = post.arrow;
      if (post.arrow != 0) e.came = post.visible - core_.dma.completion_latency;
    }
  }
  regions(issued.core).issued(issued.engine, i.region, issued.start, issued.complete);
  return e;
}

void CoreRecorder::issued(const IssuedInstruction& issued) {
  if (next_ != nullptr) next_->issued(issued);
  InstructionEvent e = event(issued);
  if (e.instruction.opcode == Opcode::kCollective) {
    e.triggers = ++next_arrow_;
    const CollectiveDecl& decl = program_.collectives[e.instruction.collective];
    collectives_[{decl.axis, decl.stream}].push_back(e.triggers);
  }
  for (EventSink* sink : sinks_) sink->instruction(e);
}

std::optional<std::int32_t> CoreRecorder::register_loaded(const IssuedInstruction& issued) {
  return next_ != nullptr ? next_->register_loaded(issued) : std::nullopt;
}

std::uint64_t CoreRecorder::transfer_triggered(const IssuedInstruction& issued, Picoseconds first_byte,
                                               const TransferShape& shape) {
  const std::uint64_t number = next_ != nullptr ? next_->transfer_triggered(issued, first_byte, shape) : 0;
  InstructionEvent e = event(issued);
  e.triggers = ++next_arrow_;
  for (EventSink* sink : sinks_) sink->instruction(e);
  transfers_.emplace(triggered_,
                     Transfer{e, shape, regions(issued.core).transfer_triggered(issued.engine), number});
  return triggered_++;
}

void CoreRecorder::transfer_done(std::uint64_t transfer, Picoseconds started, Picoseconds now) {
  const auto found = transfers_.find(transfer);
  const Transfer& t = found->second;
  if (next_ != nullptr) next_->transfer_done(t.number, started, now);
  for (EventSink* sink : sinks_) sink->transfer({t.trigger, t.shape, started, now});
  regions(t.trigger.core).transfer_done(t.pass, now);
  const Post& post = t.trigger.instruction.post;
  if (post.semaphore != kNoSemaphore)
    posts_[post.sibling ? t.trigger.core ^ 1u : t.trigger.core].post(
        post.semaphore, now + core_.dma.completion_latency, t.trigger.triggers);
  transfers_.erase(found);
}

CollectiveEvent CoreRecorder::collective_done(const CollectiveRecord& record) {
  std::deque<ArrowId>& under_way = collectives_[{record.decl.axis, record.decl.stream}];
  CollectiveEvent event{record, under_way.front(), 0};
  under_way.pop_front();
  if (record.semaphore == kNoSemaphore) return event;
  if (posts_.size() > 1) event.sibling_arrow = ++next_arrow_;
  const Picoseconds visible = record.done + core_.dma.completion_latency;
  for (std::size_t core = 0; core < posts_.size(); ++core)
    posts_[core].post(record.semaphore, visible, core == 0 ? event.arrow : event.sibling_arrow);
  return event;
}

void CoreRecorder::finish() {
  for (RegionTracker& regions : regions_) regions.finish();
}

}  // namespace trn
