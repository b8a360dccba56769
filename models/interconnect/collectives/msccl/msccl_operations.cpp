#include "models/interconnect/collectives/msccl/msccl_operations.h"

#include <deque>
#include <map>
#include <tuple>

#include "base/error.h"
#include "models/interconnect/collectives/msccl/msccl_check.h"
#include "models/interconnect/collectives/msccl/msccl_drafts.h"

namespace trn {
namespace {

using Events = std::vector<MscclEvent>;

void append(Events& to, const Events& more) { to.insert(to.end(), more.begin(), more.end()); }

// Where a thread block stands.
struct Progress {
  Events done;     // whose end is the end of all steps so far
  Events settled;  // the same without sends: what a receive waits for
  Events sent;     // the last send since the last local step
  struct Reading {
    MscclPlace place;
    std::uint32_t count;
    MscclEvent left;
  };
  std::vector<Reading> reading;       // by sends since the last local step
  std::vector<Events> done_at_steps;  // for other thread blocks
};

bool overlap(const MscclPlace& a, std::uint32_t a_count, const MscclPlace& b, std::uint32_t b_count) {
  return a.buffer == b.buffer && a.chunk < b.chunk + b_count && b.chunk < a.chunk + a_count;
}

class Expansion {
 public:
  explicit Expansion(const MscclProgram& program) : program_(program), memory_(program) {
    for (const MscclGpu& gpu : program.gpus) progress_.emplace_back(gpu.blocks.size());
    for (const MscclStepId& id : check_msccl(program)) add(id);
  }

  MscclOperations take() && {
    std::vector<MscclOperation> operations = order_msccl_drafts(std::move(drafts_), memory_);
    return {std::move(operations), std::move(memory_)};
  }

 private:
  void add(const MscclStepId& id) {
    const MscclBlock& block = program_.gpus[id.gpu].blocks[id.block];
    const MscclStep& step = block.steps[id.step];
    Progress& now = progress_[id.gpu][id.block];
    if (step.after) {
      const Events& others = progress_[id.gpu][step.after->block].done_at_steps[step.after->step];
      append(now.done, others);
      append(now.settled, others);
    }
    MscclPlace result = memory_.locate(id.gpu, step.source);
    if (step.info().receives) result = receive(id, step, queues_[{*block.receive, id.gpu, block.channel}]);
    if (step.info().sends) queues_[{id.gpu, *block.send, block.channel}].push_back(send(id, step, result));
    if (step.type == MscclStepType::kCopy || step.type == MscclStepType::kReduce) work(id, step);
    now.done_at_steps.push_back(now.done);
  }

  // Where the result is.
  MscclPlace receive(const MscclStepId& id, const MscclStep& step, std::deque<std::uint32_t>& queue) {
    Progress& now = progress_[id.gpu][id.block];
    const std::uint32_t index = queue.front();
    queue.pop_front();
    MscclDraft& draft = drafts_[index];
    draft.receiver = id;
    const MscclPlace to = step.info().stores ? memory_.locate(id.gpu, step.destination)
                                             : memory_.add_scratch(id.gpu, step.count);
    draft.operation.destination = {id.gpu, to};
    if (step.info().reduces) draft.operation.addend = memory_.locate(id.gpu, step.source);
    draft.before_arrival = now.settled;
    for (const Progress::Reading& reading : now.reading)
      if (overlap(reading.place, reading.count, to, step.count)) draft.before_arrival.push_back(reading.left);
    now.settled = {{index, MscclEventKind::kArrived}};
    now.done = now.settled;
    append(now.done, now.sent);
    return to;
  }

  std::uint32_t send(const MscclStepId& id, const MscclStep& step, const MscclPlace& from) {
    Progress& now = progress_[id.gpu][id.block];
    const std::uint32_t index = draft(id, step, from);
    const MscclEvent left{index, MscclEventKind::kLeft};
    now.done = now.sent = {left};
    // Sends are in order, so of those that read the same chunks the last is enough.
    for (Progress::Reading& reading : now.reading)
      if (reading.place.buffer == from.buffer && reading.place.chunk == from.chunk &&
          reading.count == step.count) {
        reading.left = left;
        return index;
      }
    now.reading.push_back({from, step.count, left});
    return index;
  }

  void work(const MscclStepId& id, const MscclStep& step) {
    Progress& now = progress_[id.gpu][id.block];
    const std::uint32_t index = draft(id, step, memory_.locate(id.gpu, step.source));
    const MscclPlace to = memory_.locate(id.gpu, step.destination);
    drafts_[index].operation.destination = {id.gpu, to};
    if (step.info().reduces) drafts_[index].operation.addend = to;
    now.done = now.settled = {{index, MscclEventKind::kLeft}};
    now.sent.clear();
    now.reading.clear();
  }

  std::uint32_t draft(const MscclStepId& id, const MscclStep& step, const MscclPlace& from) {
    MscclDraft draft;
    draft.operation.source = {id.gpu, from};
    draft.operation.count = step.count;
    draft.operation.step = id;
    draft.before = progress_[id.gpu][id.block].done;
    drafts_.push_back(std::move(draft));
    return static_cast<std::uint32_t>(drafts_.size() - 1);
  }

  const MscclProgram& program_;
  MscclMemory memory_;
  std::vector<std::vector<Progress>> progress_;  // by gpu and block
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, std::deque<std::uint32_t>> queues_;
  std::vector<MscclDraft> drafts_;
};

}  // namespace

MscclOperations expand_msccl(const MscclProgram& program) { return Expansion(program).take(); }

}  // namespace trn
