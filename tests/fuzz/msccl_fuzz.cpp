// Any text as MSCCL XML: operations that stay inside their buffers and wait for earlier ones only, and a
// schedule that ends, or one ProgramError.
#include <string>

#include "base/error.h"
#include "models/interconnect/collectives/msccl/msccl_operations.h"
#include "models/interconnect/collectives/msccl/msccl_reader.h"
#include "models/interconnect/collectives/msccl/msccl_schedule.h"
#include "models/interconnect/collectives/schedule/data_run.h"

namespace {

void check_place(const trn::MscclOperations& expanded, std::uint32_t gpu, const trn::MscclPlace& place,
                 std::uint32_t count) {
  TRN_CHECK(place.chunk + std::uint64_t{count} <= expanded.memory.chunks(gpu, place.buffer),
            "outside a buffer");
}

// Chunks are followed one by one, and data needs buffers: not for files that say they are huge.
bool is_small(const trn::MscclProgram& program) {
  std::uint64_t chunks = 0;
  for (const trn::MscclGpu& gpu : program.gpus) {
    for (const std::uint32_t buffer : gpu.chunks) chunks += buffer;
    for (const trn::MscclBlock& block : gpu.blocks)
      for (const trn::MscclStep& step : block.steps) chunks += step.count;
  }
  return chunks < 10'000;
}

// What nobody wrote is read as 0.
void run_on_data(const trn::MscclProgram& program) {
  using namespace trn;
  const Schedule schedule = msccl_schedule(program, 1);
  const RankBytes zeros(schedule.ranks, std::vector<std::uint8_t>(schedule.layout.bytes()));
  std::mt19937 random(1);
  ScheduleDataRun(schedule, zeros, zeros, zeros).run(random);
}

void ask_for_every_operation(const trn::MscclProgram& program) {
  using namespace trn;
  for (std::size_t op = 0; op < kCollectiveOps.size(); ++op) {
    CollectiveTask task;
    task.op = static_cast<CollectiveOp>(op);
    task.bytes = 64;
    try {
      msccl_schedule(program, task, static_cast<std::uint32_t>(program.gpus.size()));
    } catch (const ProgramError&) {
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trn;
  if (size > 8192) return 0;
  try {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const MscclProgram program = read_msccl(text, "fuzz");
    const MscclOperations expanded = expand_msccl(program);
    for (std::size_t i = 0; i < expanded.operations.size(); ++i) {
      const MscclOperation& o = expanded.operations[i];
      check_place(expanded, o.source.gpu, o.source.place, o.count);
      check_place(expanded, o.destination.gpu, o.destination.place, o.count);
      if (o.addend) check_place(expanded, o.destination.gpu, *o.addend, o.count);
      TRN_CHECK(o.after.empty() || o.after.back() < i, "waits for a later operation");
    }
    if (is_small(program)) {
      run_on_data(program);
      ask_for_every_operation(program);
    }
  } catch (const UserError&) {
  }
  return 0;
}
