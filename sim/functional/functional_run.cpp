#include "sim/functional/functional_run.h"

#include "base/error.h"

namespace trn {

DataExecution::DataExecution(const Program& program, const MachineConfig& machine, Precision precision)
    : memory_(program, precision), executor_(memory_, machine.core_version) {
  for (const CollectiveDecl& collective : program.collectives)
    throw ProgramError(program.name + ": collective over axis " + collective.axis +
                       ": execution on data covers one rank; run it without --functional");
}

std::uint64_t DataExecution::add(const IssuedInstruction& issued) {
  items_.push_back({issued.core, issued.engine, resolved(issued), {}, false});
  return items_.size() - 1;
}

void DataExecution::issued(const IssuedInstruction& issued) {
  advance(issued.start);
  const std::uint64_t item = add(issued);
  events_.push({issued.start, Step::kRead, item});
  events_.push({issued.complete, Step::kCommit, item});
}

// Everything that completes by then is in memory: what issues later completes later.
std::optional<std::int32_t> DataExecution::register_loaded(const IssuedInstruction& issued) {
  advance(issued.start + Picoseconds(1));
  return executor_.load_register(issued.core, resolved(issued));
}

std::uint64_t DataExecution::transfer_triggered(const IssuedInstruction& issued, Picoseconds first_byte,
                                                const TransferShape&) {
  advance(issued.start);
  const std::uint64_t item = add(issued);
  items_[item].transfer = true;
  events_.push({first_byte, Step::kRead, item});
  return item;
}

void DataExecution::transfer_done(std::uint64_t transfer, Picoseconds, Picoseconds now) {
  events_.push({now, Step::kCommit, transfer});
}

// Nothing will be issued before that time any more. (A transfer may still end before it, if no instruction
// waits for it: then it only comes late for one that reads without waiting.)
void DataExecution::advance(Picoseconds before) {
  while (!events_.empty() && events_.top().at < before) {
    const Event event = events_.top();
    events_.pop();
    run(event);
  }
}

void DataExecution::run(const Event& event) {
  Item& item = items_[event.item];
  if (event.step == Step::kRead) {
    item.effect = executor_.read(item.core, item.engine, item.instruction);
  } else {
    executor_.commit(item.effect);
    item.effect = {};
  }
}

}  // namespace trn
