#include "models/interconnect/collectives/msccl/msccl_schedule.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "models/interconnect/collectives/msccl/msccl_knowledge.h"
#include "models/interconnect/collectives/msccl/msccl_moves.h"
#include "models/interconnect/collectives/msccl/msccl_result.h"

namespace trn {
namespace {

constexpr std::array<std::uint32_t, 3> kBuffers{kInput, kOutput, kScratch};

// Tables of moves by ranks and by chains are made.
constexpr std::uint64_t kMostEntries = 1 << 25;

void check_size(const MscclProgram& program, const MscclMoves& all) {
  const std::uint64_t columns = program.gpus.size() + all.chains;
  if (all.moves.size() * columns <= kMostEntries) return;
  throw ProgramError(program.file + ": " + std::to_string(all.moves.size()) + " moves of " +
                     std::to_string(program.gpus.size()) + " gpus with " + std::to_string(all.chains / 2) +
                     " tbs are too many; expected up to " + std::to_string(kMostEntries / columns) +
                     " moves; write it with fewer chunks or channels");
}

// Chunks are followed one by one.
void check_work(const MscclProgram& program) {
  constexpr std::uint64_t kMostChunkMoves = 1 << 26;
  std::uint64_t work = 0;
  for (const MscclGpu& gpu : program.gpus)
    for (const MscclBlock& block : gpu.blocks)
      for (const MscclStep& step : block.steps) work += step.count;
  if (work > kMostChunkMoves)
    throw ProgramError(program.file + ": its steps move " + std::to_string(work) +
                       " chunks in all (cnt), expected up to " + std::to_string(kMostChunkMoves) +
                       "; write it with fewer, larger chunks");
}

class Builder {
 public:
  Builder(const MscclProgram& program, std::uint64_t chunk_bytes)
      : all_(msccl_moves(program)), chunk_bytes_(chunk_bytes) {
    check_size(program, all_);
    schedule_.ranks = static_cast<std::uint32_t>(program.gpus.size());
    schedule_.symmetric = false;
    MscclKnowledge knowledge(all_);
    for (std::uint32_t m = 0; m < all_.moves.size(); ++m) add(m, knowledge);
    schedule_.layout = BlockLayout::ranges(std::move(ranges_));
    number_patterns(schedule_);
  }

  Schedule take() && { return std::move(schedule_); }

 private:
  // A rank hears of what it did itself, and of what arrives. What else it must not overtake happens on the
  // rank that it sends to: unless it knows that through others, that rank tells it with a flag.
  void add(std::uint32_t m, MscclKnowledge& knowledge) {
    const MscclMove& move = all_.moves[m];
    Step step = step_of(move);
    std::vector<std::uint32_t> elsewhere;
    for (const std::uint32_t before : move.after) {
      if (hears_of(move.executor, all_.moves[before])) {
        wait(step, move.executor, before, &move);
        knowledge.add(m, before);
      } else {
        elsewhere.push_back(before);
      }
    }
    Step flag = flag_step(move);
    for (const std::uint32_t before : elsewhere)
      if (!knowledge.knows(m, before)) {
        TRN_CHECK(hears_of(flag.executors[0], all_.moves[before]),
                  "a move waits for what does not concern it");
        wait(flag, flag.executors[0], before, nullptr);
      }
    for (const std::uint32_t before : elsewhere) knowledge.add(m, before);
    if (!flag.received.empty() || !flag.own.empty()) {
      step.received.push_back({static_cast<std::uint32_t>(schedule_.steps.size()), 0});
      schedule_.steps.push_back(std::move(flag));
    }
    step_of_move_.push_back(static_cast<std::uint32_t>(schedule_.steps.size()));
    schedule_.steps.push_back(std::move(step));
  }

  static bool hears_of(std::uint32_t rank, const MscclMove& move) {
    return move.executor == rank || move.writes_to(rank);
  }

  // What a rank left for itself is complete when it has been written; otherwise its steps follow each other
  // as soon as their bytes are on their way, and arrive in order. `reader`: of what it waits for, if it may
  // be.
  void wait(Step& step, std::uint32_t rank, std::uint32_t before, const MscclMove* reader) {
    const MscclMove& other = all_.moves[before];
    const std::uint32_t number = step_of_move_[before];
    for (std::uint32_t d = 0; d < other.destinations.size(); ++d) {
      if (other.destinations[d].gpu != rank) continue;
      if (other.executor == rank && reader != nullptr && !reads(*reader, other.destinations[d], other.count))
        continue;
      step.received.push_back({number, d});
      return;
    }
    step.own.push_back(number);
  }
  static bool reads(const MscclMove& move, const MscclSpot& spot, std::uint32_t count) {
    for (const MscclSpot& source : move.sources)
      if (source.place.buffer == spot.place.buffer && source.place.chunk < spot.place.chunk + count &&
          spot.place.chunk < source.place.chunk + move.count)
        return true;
    return false;
  }

  Step step_of(const MscclMove& move) {
    Step step;
    step.executors = {move.executor};
    for (const MscclSpot& source : move.sources) {
      step.sources.push_back({Place::self(), kBuffers[static_cast<std::size_t>(source.place.buffer)]});
      step.origins.push_back(block(source.place.chunk, move.count));
    }
    step.blocks = step.origins[0];
    for (const MscclSpot& to : move.destinations) {
      step.destinations.push_back({to.gpu == move.executor ? Place::self() : Place::rank(to.gpu),
                                   kBuffers[static_cast<std::size_t>(to.place.buffer)]});
      step.landing.push_back(block(to.place.chunk, move.count));
    }
    return step;
  }

  // No bytes, so that a flow's least byte stands for it.
  Step flag_step(const MscclMove& move) {
    Step step;
    step.executors = {move.destinations[0].gpu};
    step.sources = {{Place::self(), kInput}};
    step.destinations = {{Place::rank(move.executor), kScratch}};
    step.blocks = block(0, 0);
    return step;
  }

  Blocks block(std::uint32_t chunk, std::uint32_t count) {
    const auto [it, fresh] =
        numbers_.emplace(std::make_pair(chunk, count), static_cast<std::uint32_t>(ranges_.size()));
    if (fresh) ranges_.push_back({chunk * chunk_bytes_, count * chunk_bytes_});
    return {Place::rank(it->second), {}};
  }

  const MscclMoves all_;
  const std::uint64_t chunk_bytes_;
  Schedule schedule_;
  std::vector<std::uint32_t> step_of_move_;
  std::vector<ByteRange> ranges_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> numbers_;  // of chunk and count
};

}  // namespace

std::string msccl_collective(CollectiveOp op) {
  std::string name(kCollectiveOps[static_cast<std::size_t>(op)]);
  name.erase(std::remove(name.begin(), name.end(), '_'), name.end());
  const auto end = kMscclCollectives.end();
  return std::find(kMscclCollectives.begin(), end, name) == end ? "" : name;
}

Schedule msccl_schedule(const MscclProgram& program, const CollectiveTask& task, std::uint32_t ranks) {
  const std::string asked(kCollectiveOps[static_cast<std::size_t>(task.op)]);
  const std::string wanted = msccl_collective(task.op);
  if (wanted.empty())
    throw ProgramError(program.file + ": MSCCL has no " + asked + "; choose another algorithm");
  if (program.collective != wanted && program.collective != "custom")
    throw ProgramError(program.file + ": coll=\"" + program.collective + "\", expected \"" + wanted +
                       "\" for " + asked + "; ask for the file's operation or take another file");
  if (program.gpus.size() != ranks)
    throw ProgramError(program.file + ": ngpus=\"" + std::to_string(program.gpus.size()) +
                       "\", but the group has " + std::to_string(ranks) +
                       " ranks; name as many ranks as the file has gpus");
  if (!task.sizes.empty())
    throw ProgramError(program.file + ": chunks of an MSCCL file are of one length; leave uneven blocks out");
  check_work(program);
  const std::uint64_t chunks = check_msccl_result(program, task);
  const std::uint64_t granules = (task.bytes + task.granule - 1) / task.granule;
  return msccl_schedule(program, (granules + chunks - 1) / chunks * task.granule);
}

Schedule msccl_schedule(const MscclProgram& program, std::uint64_t chunk_bytes) {
  check_work(program);
  return Builder(program, chunk_bytes).take();
}

}  // namespace trn
