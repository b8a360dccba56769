// A collective as data: what every rank's DMA engines move in which step, and what must have happened before.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/interconnect/collectives/schedule/layout.h"
#include "models/interconnect/collectives/schedule/teams.h"

namespace trn {

// A rank, seen from the one that executes a step.
struct Place {
  enum class Kind : std::uint8_t { kSelf, kTeammate, kRank };
  Kind kind = Kind::kSelf;
  std::uint32_t teams = 0;  // kTeammate: index in Schedule::teams
  std::int64_t offset = 0;  // kTeammate: so many places further on; kRank: the rank

  static Place self() { return {}; }
  static Place teammate(std::uint32_t teams, std::int64_t offset) { return {Kind::kTeammate, teams, offset}; }
  static Place rank(std::uint32_t rank) { return {Kind::kRank, 0, rank}; }
  bool operator==(const Place& o) const { return kind == o.kind && teams == o.teams && offset == o.offset; }
  bool operator<(const Place& o) const {
    return kind != o.kind ? kind < o.kind : teams != o.teams ? teams < o.teams : offset < o.offset;
  }
};

// Memory at a place: the rank's input or output, scratch that steps share, or what the given step left there.
inline constexpr std::uint32_t kInput = 0xFFFFFFFF;
inline constexpr std::uint32_t kOutput = 0xFFFFFFFE;
inline constexpr std::uint32_t kScratch = 0xFFFFFFFD;
struct Piece {
  Place at;
  std::uint32_t buffer = kInput;  // kInput, kOutput, kScratch, or a step's number
};

// The blocks that `first` leads to: that rank's own, and those of all its teammates in every further team.
struct Blocks {
  Place first;
  std::vector<std::uint32_t> over;  // indices in Schedule::teams
};

// One read of every source, combined, and one write to every destination, on the executing rank's engines.
struct Step {
  std::vector<std::uint32_t> executors;  // ascending; empty: every rank
  std::vector<Piece> sources;            // two or more: reduced, at most kMaxSources
  std::vector<Piece> destinations;       // a DMA can duplicate: two, and the sum of several sources here too
  Blocks blocks;
  // Where the sources lie and where they land, if elsewhere than `blocks`: one entry for all, or one each.
  std::vector<Blocks> origins, landing;
  Part part;
  const Blocks& origin(std::size_t source) const { return origins.empty() ? blocks : each(origins, source); }
  const Blocks& target(std::size_t destination) const {
    return landing.empty() ? blocks : each(landing, destination);
  }
  // This rank must have got that destination's bytes of that step; a step latency passes until it knows.
  struct Arrival {
    std::uint32_t step, destination;
  };
  std::vector<Arrival> received;
  std::vector<std::uint32_t> own;  // steps this rank must have sent: a pre-built DMA ring goes in order
  double ring_share = 1;           // of its DMA ring's turn: the steps of a chain share one ring
  bool triggered = true;           // else it rides on the step before: one write starts the rings of both
  std::uint32_t pattern = 0;       // steps of one pattern involve the same places and share their ring alike
  static const Blocks& each(const std::vector<Blocks>& list, std::size_t i) {
    return list[list.size() == 1 ? 0 : i];
  }
};
inline constexpr std::size_t kMaxSources = 16;  // of one DMA-compute descriptor

// What the collective is for: which bytes must be where in the end.
struct Schedule {
  std::string algorithm;  // its name, where one made it
  std::uint32_t ranks = 1;
  BlockLayout layout = BlockLayout::uniform(0, 1);
  std::vector<Teams> teams;
  std::vector<Step> steps;  // dependencies point backwards
  std::uint32_t patterns = 0;
  bool symmetric = true;  // every rank executes every step, and chips use the fabric alike

  std::uint32_t resolve(Place place, std::uint32_t executor) const {
    switch (place.kind) {
      case Place::Kind::kTeammate:
        return teams[place.teams].teammate(executor, place.offset);
      case Place::Kind::kRank:
        return static_cast<std::uint32_t>(place.offset);
      case Place::Kind::kSelf:
        break;
    }
    return executor;
  }
  // Numbers of the blocks, from one rank's view.
  void block_numbers(const Blocks& blocks, std::uint32_t executor, std::vector<std::uint32_t>& out) const;
  std::uint64_t block_count(const Blocks& blocks) const;
  // What one execution moves, from a source to a destination; of even blocks rounded up.
  std::uint64_t bytes(const Step& step, std::uint32_t executor) const;
  std::uint64_t bytes_exact(const Step& step, std::uint32_t executor) const;

  std::uint32_t add_teams(Teams t) {
    teams.push_back(std::move(t));
    return static_cast<std::uint32_t>(teams.size() - 1);
  }
};

// Numbers the patterns of all steps; to be called when all are there.
void number_patterns(Schedule& schedule);

}  // namespace trn
