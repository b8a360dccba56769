// The tracks of a timeline, made when something is first put on them.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "sim/timeline/lanes.h"
#include "sim/timeline/perfetto_file.h"

namespace trn {

class TimelineTracks {
 public:
  explicit TimelineTracks(PerfettoFile& file) : file_(file) {}

  void begin(const Job& job, Simulated simulated);

  // A track's lane that is free over this time.
  std::uint64_t regions(const RegionEvent& e);
  std::uint64_t engine(const InstructionEvent& e);
  std::uint64_t queue(const TransferEvent& e);
  std::uint64_t dma_engine(const PacketEvent& e);
  std::uint64_t collective(const CollectiveRecord& record);
  std::uint64_t move(const MoveEvent& e);
  std::uint64_t counter(std::uint64_t rank, const std::string& name, const std::string& unit);

 private:
  enum Group : int { kRegions, kEngine, kWeights, kQueue, kDmaEngine, kStream, kMoves };
  using Key = std::tuple<std::uint64_t, std::uint32_t, int, std::uint64_t>;  // rank, core, group, number
  struct Track {
    std::uint64_t parent = 0;
    std::string name;
    int order = 0;
    Lanes lanes;
    std::vector<std::uint64_t> numbers;  // by lane; the second and further ones lie under the first
  };
  std::uint64_t process(std::uint64_t rank);
  std::uint64_t lane(Track& track, Picoseconds begin, Picoseconds end);
  // The track, new with this name and order where it has none yet.
  template <class Name>
  Track& track(const Key& key, int order, Name name);

  PerfettoFile& file_;
  std::vector<std::string> process_names_;  // by rank
  std::map<std::uint64_t, std::uint64_t> processes_;
  std::map<Key, Track> tracks_;
  int counters_ = 0;
};

}  // namespace trn
