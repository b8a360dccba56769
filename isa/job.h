// What a machine runs: programs, which rank runs which, and where the ranks sit.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/program.h"

namespace trn {

// Ranks that differ in their coordinate on an axis only are a group: COLL names the axis.
struct MeshAxis {
  std::string name;  // tp, fsdp, ...
  std::uint64_t size = 1;
};

struct Job {
  std::vector<Program> programs;
  std::vector<MeshAxis> mesh;             // a rank's coordinate on the first axis varies fastest
  std::vector<std::uint32_t> program_of;  // by rank
  // Placement: by rank, chip * ranks per chip + place on the chip. Empty: in order, so that the first axes
  // lie inside the chip and the others follow the chips.
  std::vector<std::uint64_t> seats;

  std::uint64_t ranks() const { return program_of.size(); }
  std::uint64_t seat(std::uint64_t rank) const { return seats.empty() ? rank : seats[rank]; }
  const Program& program(std::uint64_t rank) const { return programs[program_of[rank]]; }
  bool one_program() const { return programs.size() == 1; }
};

// The same program on every rank of the mesh (no axes: one rank).
Job uniform_job(Program program, std::vector<MeshAxis> mesh = {});

// The groups of an axis, each with its ranks ascending, ordered by first rank. The axis must exist.
std::vector<std::vector<std::uint64_t>> groups_of_axis(const Job& job, const std::string& axis);

// Throws ProgramError unless the parts fit together: sizes, program numbers, seats used once, every COLL's
// axis in the mesh with two ranks or more, and, rank by rank, the same collectives in the same order on every
// stream of a group. `streams`: how many the machine has.
void check_job(const Job& job, std::uint64_t streams);

}  // namespace trn
