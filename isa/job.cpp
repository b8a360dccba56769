#include "isa/job.h"

#include <algorithm>
#include <map>

#include "base/error.h"
#include "base/text.h"

namespace trn {
namespace {

[[noreturn]] void refuse(const std::string& where, const std::string& what) {
  throw ProgramError(where + ": " + what);
}

std::string axis_names(const Job& job) {
  std::vector<std::string> names;
  for (const MeshAxis& axis : job.mesh) names.push_back(axis.name);
  return names.empty() ? "none" : join(names);
}

std::size_t axis_index(const Job& job, const std::string& name) {
  const auto at =
      std::find_if(job.mesh.begin(), job.mesh.end(), [&](const MeshAxis& axis) { return axis.name == name; });
  return static_cast<std::size_t>(at - job.mesh.begin());
}

void check_mesh(const Job& job) {
  if (job.programs.empty()) refuse("job", "no program");
  std::uint64_t ranks = 1;
  for (std::size_t a = 0; a < job.mesh.size(); ++a) {
    const MeshAxis& axis = job.mesh[a];
    if (axis.size == 0) refuse("job: axis " + axis.name, "size 0");
    if (axis_index(job, axis.name) != a) refuse("job: axis " + axis.name, "stands in the mesh twice");
    ranks = ranks > job.ranks() ? ranks : ranks * axis.size;
  }
  if (ranks != job.ranks())
    refuse("job", "the mesh has " + std::string(ranks > job.ranks() ? "more" : "fewer") + " ranks than the " +
                      std::to_string(job.ranks()) + " that have a program");
  for (const std::uint32_t program : job.program_of)
    if (program >= job.programs.size()) refuse("job", "program " + std::to_string(program) + " is missing");
  if (job.seats.empty()) return;
  std::vector<std::uint64_t> seats = job.seats;
  std::sort(seats.begin(), seats.end());
  if (seats.size() != job.ranks() || std::adjacent_find(seats.begin(), seats.end()) != seats.end())
    refuse("job", "every rank needs a seat of its own");
}

void check_declarations(const Job& job, std::uint64_t streams) {
  for (const Program& program : job.programs) {
    for (const CollectiveDecl& decl : program.collectives) {
      const std::string where = program.name + ": collective over axis " + decl.axis;
      const std::size_t axis = axis_index(job, decl.axis);
      if (axis == job.mesh.size()) refuse(where, "not an axis of the mesh; known: " + axis_names(job));
      if (job.mesh[axis].size < 2)
        refuse(where, "the axis has one rank here; COLL needs a mesh, and a program run alone has none");
      if (decl.stream >= streams)
        refuse(where, "stream " + std::to_string(decl.stream) + " of " + std::to_string(streams));
    }
  }
}

// The collectives of a program in order of issue on each (axis, stream), loops unrolled.
using Sequences = std::map<std::pair<std::string, std::uint32_t>, std::vector<std::uint32_t>>;
constexpr std::size_t kLongestSequence = 10'000'000;

void append_collectives(const NodeList& nodes, const Program& program, Sequences& out) {
  for (const Node& node : nodes) {
    if (node.is_loop()) {
      Sequences body;
      append_collectives(node.body, program, body);
      for (const auto& [key, list] : body) {
        std::vector<std::uint32_t>& all = out[key];
        if (all.size() + node.repeat * list.size() > kLongestSequence)
          refuse(program.name, "more than " + with_commas(kLongestSequence) + " collectives on a stream");
        for (std::uint64_t i = 0; i < node.repeat; ++i) all.insert(all.end(), list.begin(), list.end());
      }
    } else if (node.instruction.opcode == Opcode::kCollective) {
      const CollectiveDecl& decl = program.collectives[node.instruction.collective];
      out[{decl.axis, decl.stream}].push_back(node.instruction.collective);
    }
  }
}

Sequences collectives_of(const Program& program) {
  Sequences out;
  for (const CoreProgram& core : program.cores)
    for (const NodeList& stream : core.streams) append_collectives(stream, program, out);
  return out;
}

std::string text_of(const Program& program, const std::vector<std::uint32_t>& sequence, std::size_t k) {
  if (k == sequence.size()) return "none";
  const CollectiveDecl& decl = program.collectives[sequence[k]];
  return std::string(kCollectiveOps[static_cast<std::size_t>(decl.op)]) + " of " + with_commas(decl.bytes) +
         " B " + std::string(info(decl.dtype).name) + " priority " + std::to_string(decl.priority);
}

void check_agreement(const Job& job, std::uint64_t streams) {
  if (job.one_program()) return;
  std::vector<Sequences> sequences;
  for (const Program& program : job.programs) sequences.push_back(collectives_of(program));
  const auto compare = [&](std::uint64_t a, std::uint64_t b, const std::string& axis) {
    for (std::uint32_t stream = 0; stream < streams; ++stream) {
      const std::vector<std::uint32_t>& x = sequences[job.program_of[a]][{axis, stream}];
      const std::vector<std::uint32_t>& y = sequences[job.program_of[b]][{axis, stream}];
      const std::size_t common = std::min(x.size(), y.size());
      std::size_t k = 0;
      while (k < common && job.program(a).collectives[x[k]] == job.program(b).collectives[y[k]]) ++k;
      if (k == common && x.size() == y.size()) continue;
      refuse("job: axis " + axis + " stream " + std::to_string(stream),
             "ranks " + std::to_string(a) + " (" + job.program(a).name + ") and " + std::to_string(b) + " (" +
                 job.program(b).name + ") disagree on collective " + std::to_string(k) + ": " +
                 text_of(job.program(a), x, k) + " and " + text_of(job.program(b), y, k) +
                 "; give all ranks of the group the same collectives in the same order");
    }
  };
  for (const MeshAxis& axis : job.mesh)
    for (const std::vector<std::uint64_t>& group : groups_of_axis(job, axis.name))
      for (const std::uint64_t rank : group)
        if (job.program_of[rank] != job.program_of[group[0]]) compare(group[0], rank, axis.name);
}

}  // namespace

Job uniform_job(Program program, std::vector<MeshAxis> mesh) {
  Job job;
  std::uint64_t ranks = 1;
  for (const MeshAxis& axis : mesh) ranks *= axis.size;
  job.programs.push_back(std::move(program));
  job.mesh = std::move(mesh);
  job.program_of.assign(ranks, 0);
  return job;
}

std::vector<std::vector<std::uint64_t>> groups_of_axis(const Job& job, const std::string& name) {
  const std::size_t axis = axis_index(job, name);
  TRN_CHECK(axis < job.mesh.size(), "no axis " + name);
  std::uint64_t stride = 1;
  for (std::size_t a = 0; a < axis; ++a) stride *= job.mesh[a].size;
  const std::uint64_t size = job.mesh[axis].size;
  std::vector<std::vector<std::uint64_t>> groups;
  for (std::uint64_t rank = 0; rank < job.ranks(); ++rank) {
    if (rank / stride % size != 0) continue;
    std::vector<std::uint64_t>& group = groups.emplace_back();
    for (std::uint64_t i = 0; i < size; ++i) group.push_back(rank + i * stride);
  }
  return groups;
}

void check_job(const Job& job, std::uint64_t streams) {
  check_mesh(job);
  check_declarations(job, streams);
  check_agreement(job, streams);
}

}  // namespace trn
