#include "sim/timeline/timeline.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"
#include "sim/timeline/size_estimate.h"

namespace trn {
namespace {

void note_times(std::vector<SliceNote>& notes, Picoseconds begin, Picoseconds end) {
  notes.push_back({"start_ps", begin.count()});
  notes.push_back({"duration_ps", (end - begin).count()});
}

void note_if(std::vector<SliceNote>& notes, const char* name, std::uint64_t number) {
  if (number != 0) notes.push_back({name, number});
}

void note_semaphores(std::vector<SliceNote>& notes, const InstructionEvent& e) {
  const Instruction& i = e.instruction;
  if (i.wait.semaphore != kNoSemaphore) {
    notes.push_back({"waits_for", 0, &e.program.semaphores[i.wait.semaphore]});
    notes.push_back({"wait_value", static_cast<std::uint64_t>(std::max<std::int64_t>(0, e.wait_value))});
  }
  note_if(notes, "waited_ps", e.waited.count());
  if (i.post.semaphore != kNoSemaphore)
    notes.push_back({"posts", 0, &e.program.semaphores[i.post.semaphore]});
}

std::uint64_t sum(const std::array<std::uint64_t, kSpaces.size()>& bytes) {
  return bytes[0] + bytes[1] + bytes[2];
}

// "load weights", "store out", "copy a to b".
std::string transfer_name(const InstructionEvent& e) {
  const TensorDecl& from = e.program.tensors[e.instruction.src[0].tensor];
  const TensorDecl& to = e.program.tensors[e.instruction.dst.tensor];
  if (from.space == Space::kHbm && to.space != Space::kHbm) return "load " + from.name;
  if (from.space != Space::kHbm && to.space == Space::kHbm) return "store " + to.name;
  return "copy " + from.name + " to " + to.name;
}

}  // namespace

Timeline::Timeline(const TimelineOptions& options)
    : options_(options),
      file_(options.path, options.limit_bytes),
      tracks_(file_),
      counters_(options.window, options.level) {}

void Timeline::begin(const Job& job, const MachineConfig& machine, Simulated simulated,
                     const std::vector<std::uint64_t>& ranks) {
  if (options_.level == TimelineLevel::kPacket && machine.hbm.model != HbmModel::kChannel)
    throw UsageError(
        "--timeline-level packet: transfers move as a whole in this run; run and kernel run simulate every "
        "packet with --hbm channel, else take --timeline-level instruction");
  if (options_.level != TimelineLevel::kOperation && options_.window.whole())
    check_size(expected_size(job, ranks), options_);
  tracks_.begin(job, simulated);
  counters_.begin(machine);
}

void Timeline::instruction(const InstructionEvent& e) {
  counters_.instruction(e, tracks_, file_);
  if (options_.level == TimelineLevel::kOperation || !options_.window.overlaps(e.start, e.read)) return;
  Slice slice{tracks_.engine(e), e.start, e.read, info(e.instruction.opcode).mnemonic,
              &e.program.regions[e.instruction.region]};
  note_times(slice.notes, e.start, e.read);
  if (e.instruction.opcode != Opcode::kDma) {
    const OperandBytes bytes = operand_bytes(e.instruction, e.program);
    note_if(slice.notes, "read_bytes", sum(bytes.read));
    note_if(slice.notes, "written_bytes", sum(bytes.written));
    note_if(slice.notes, "latency_ps", (e.complete - e.read).count());
  }
  note_if(slice.notes, "flops", e.flops);
  note_if(slice.notes, "limited_ps", e.limited.count());
  note_semaphores(slice.notes, e);
  slice.leaves = e.triggers;
  if (options_.window.from < e.came)
    slice.arrives = e.waited_for;  // else nothing it could come from is shown
  file_.add(slice);
}

void Timeline::transfer(const TransferEvent& e) {
  counters_.transfer(e);
  if (options_.level == TimelineLevel::kOperation) return;
  const InstructionEvent& trigger = e.trigger;
  if (!options_.window.overlaps(e.started, e.done)) return;
  const std::string name = transfer_name(trigger);
  Slice slice{tracks_.queue(e), e.started, e.done, name,
              &trigger.program.regions[trigger.instruction.region]};
  note_times(slice.notes, e.started, e.done);
  slice.notes.push_back({"bytes", e.shape.bytes.count()});
  slice.notes.push_back({"rows", e.shape.rows});
  note_if(slice.notes, "hbm_read_bytes", e.shape.hbm_read.count());
  note_if(slice.notes, "hbm_written_bytes", e.shape.hbm_write.count());
  slice.notes.push_back({"triggered_ps", trigger.start.count()});
  const std::uint16_t semaphore = trigger.instruction.post.semaphore;
  if (semaphore != kNoSemaphore) slice.notes.push_back({"posts", 0, &trigger.program.semaphores[semaphore]});
  slice.passes = trigger.triggers;
  file_.add(slice);
}

void Timeline::packet(const PacketEvent& e) {
  const EnginePacket& p = e.packet;
  if (!options_.window.overlaps(p.started, p.done)) return;
  Slice slice{tracks_.dma_engine(e), p.started, p.done, "packet", &e.program.regions[p.request.region]};
  note_times(slice.notes, p.started, p.done);
  slice.notes.push_back({"bytes", p.bytes.count()});
  slice.notes.push_back({"queue", 0, &e.program.queues[p.request.queue].name});
  file_.add(slice);
}

void Timeline::collective(const CollectiveEvent& e) {
  const CollectiveRecord& r = e.record;
  if (!options_.window.overlaps(r.started, r.done)) return;
  Slice slice{tracks_.collective(r), r.started, r.done, kCollectiveOps[static_cast<std::size_t>(r.decl.op)],
              &r.decl.axis};
  note_times(slice.notes, r.started, r.done);
  const std::string dtype(info(r.decl.dtype).name);
  slice.notes.push_back({"bytes", r.decl.bytes});
  slice.notes.push_back({"dtype", 0, &dtype});
  slice.notes.push_back({"algorithm", 0, &r.algorithm});
  slice.notes.push_back({"ranks", r.ranks});
  slice.notes.push_back({"triggered_ps", r.issued.count()});
  if (options_.level != TimelineLevel::kOperation) {
    slice.passes = e.arrow;
    slice.leaves = e.sibling_arrow;
  }
  file_.add(slice);
}

void Timeline::move(const MoveEvent& e) {
  if (options_.level == TimelineLevel::kOperation || !options_.window.overlaps(e.move.started, e.move.sent))
    return;
  const std::string name = "step " + std::to_string(e.move.step);
  Slice slice{tracks_.move(e), e.move.started, e.move.sent, name};
  note_times(slice.notes, e.move.started, e.move.sent);
  slice.notes.push_back({"bytes", e.move.bytes.count()});
  file_.add(slice);
}

void Timeline::region(const RegionEvent& e) {
  if (options_.window.overlaps(e.begin, e.end)) regions_.push_back(e);
}

void Timeline::end() {
  std::stable_sort(regions_.begin(), regions_.end(),
                   [](const RegionEvent& a, const RegionEvent& b) { return a.begin < b.begin; });
  for (const RegionEvent& e : regions_) {
    Slice slice{tracks_.regions(e), e.begin, e.end, *e.name};
    note_times(slice.notes, e.begin, e.end);
    file_.add(slice);
  }
  regions_.clear();
  counters_.write(tracks_, file_);
}

void Timeline::commit() {
  if (file_.full()) throw CapacityError(too_large(options_, file_.reached()));
  file_.commit();
}

}  // namespace trn
