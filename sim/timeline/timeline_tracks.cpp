#include "sim/timeline/timeline_tracks.h"

namespace trn {
namespace {

// Where tracks stand in a process: cores one below the other, then collectives, then counters.
constexpr int kCoreOrder = 1000, kQueueOrder = 100, kDmaEngineOrder = 500, kStreamOrder = 10'000,
              kCounterOrder = 20'000;

}  // namespace

void TimelineTracks::begin(const Job& job, Simulated simulated) {
  if (simulated == Simulated::kOneRank) {
    process_names_.push_back(job.ranks() == 1 ? "rank 0"
                                              : "rank 0, stands for all " + std::to_string(job.ranks()));
    return;
  }
  for (std::uint64_t rank = 0; rank < job.ranks(); ++rank)
    process_names_.push_back("rank " + std::to_string(rank));
}

std::uint64_t TimelineTracks::process(std::uint64_t rank) {
  std::uint64_t& number = processes_[rank];
  if (number == 0) number = file_.add_process(process_names_[rank]);
  return number;
}

template <class Name>
TimelineTracks::Track& TimelineTracks::track(const Key& key, int order, Name name) {
  const auto [at, added] = tracks_.try_emplace(key);
  if (added) at->second = {process(std::get<0>(key)), name(), order, {}, {}};
  return at->second;
}

std::uint64_t TimelineTracks::lane(Track& track, Picoseconds begin, Picoseconds end) {
  const std::size_t lane = track.lanes.take(begin, end);
  if (lane == track.numbers.size()) {
    const bool first = lane == 0;
    track.numbers.push_back(
        file_.add_track(first ? track.parent : track.numbers[0],
                        first ? track.name : track.name + " lane " + std::to_string(lane + 1),
                        first ? track.order : static_cast<int>(lane)));
  }
  return track.numbers[lane];
}

std::uint64_t TimelineTracks::regions(const RegionEvent& e) {
  Track& t = track({e.rank, e.core, kRegions, 0}, static_cast<int>(e.core) * kCoreOrder,
                   [&] { return "core " + std::to_string(e.core) + " regions"; });
  return lane(t, e.begin, e.end);
}

// Weights load beside the array: they have a track of their own.
std::uint64_t TimelineTracks::engine(const InstructionEvent& e) {
  const bool weights =
      e.instruction.opcode == Opcode::kLoadWeights || e.instruction.opcode == Opcode::kLoadWeightsMx;
  const auto number = index_of(e.engine);
  const int order = static_cast<int>(e.core) * kCoreOrder + 2 * static_cast<int>(number) + (weights ? 2 : 1);
  Track& t = track({e.rank, e.core, weights ? kWeights : kEngine, number}, order, [&] {
    return "core " + std::to_string(e.core) + ' ' + std::string(short_name(e.engine)) +
           (weights ? " weights" : "");
  });
  return lane(t, e.start, e.read);
}

std::uint64_t TimelineTracks::queue(const TransferEvent& e) {
  const InstructionEvent& i = e.trigger;
  const std::uint16_t number = i.instruction.queue;
  Track& t = track({i.rank, i.core, kQueue, number},
                   static_cast<int>(i.core) * kCoreOrder + kQueueOrder + static_cast<int>(number), [&] {
                     return "core " + std::to_string(i.core) + " DMA " + i.program.queues[number].name;
                   });
  return lane(t, e.started, e.done);
}

std::uint64_t TimelineTracks::dma_engine(const PacketEvent& e) {
  const std::uint32_t core = e.packet.request.core;
  const int order = static_cast<int>(core) * kCoreOrder + kDmaEngineOrder + static_cast<int>(e.packet.engine);
  Track& t = track({e.rank, core, kDmaEngine, e.packet.engine}, order, [&] {
    return "core " + std::to_string(core) + " DMA engine " + std::to_string(e.packet.engine);
  });
  return lane(t, e.packet.started, e.packet.done);
}

std::uint64_t TimelineTracks::collective(const CollectiveRecord& record) {
  Track& t = track({record.rank, 0, kStream, record.decl.stream},
                   kStreamOrder + 2 * static_cast<int>(record.decl.stream),
                   [&] { return "CC-cores, stream " + std::to_string(record.decl.stream); });
  return lane(t, record.started, record.done);
}

std::uint64_t TimelineTracks::move(const MoveEvent& e) {
  const std::uint32_t stream = e.decl.stream;
  Track& t =
      track({e.shown_with, stream, kMoves, e.rank}, kStreamOrder + 2 * static_cast<int>(stream) + 1, [&] {
        return "stream " + std::to_string(stream) + " moves" +
               (e.rank == e.shown_with ? "" : " of rank " + std::to_string(e.rank));
      });
  return lane(t, e.move.started, e.move.sent);
}

std::uint64_t TimelineTracks::counter(std::uint64_t rank, const std::string& name, const std::string& unit) {
  return file_.add_counter(process(rank), name, unit, kCounterOrder + counters_++);
}

}  // namespace trn
