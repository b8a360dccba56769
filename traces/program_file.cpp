#include "traces/program_file.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "base/config/config_document.h"
#include "base/error.h"
#include "base/text.h"
#include "isa/assembler/assembler.h"
#include "traces/trace_file.h"

namespace trn {
namespace {

constexpr std::uint64_t kMostRanks = 1 << 20;
constexpr std::uint32_t kNoProgram = ~0u;

std::string read(const std::string& path) {
  try {
    return read_text_file(path);
  } catch (const ConfigError& error) {
    throw ProgramError(error.what());
  }
}

// An error "path:line:column: ..." with the line of that source it is about and a caret under the place.
std::string with_caret(const std::string& what, const std::vector<Source>& sources) {
  for (const Source& source : sources) {
    std::size_t line = 0;
    std::size_t column = 0;
    if (what.rfind(source.name + ':', 0) != 0 ||
        std::sscanf(what.c_str() + source.name.size(), ":%zu:%zu:", &line, &column) != 2 || line == 0 ||
        column == 0)
      continue;
    const std::vector<std::string> lines = split(source.text, '\n');
    if (line > lines.size() || column > lines[line - 1].size() + 1) continue;
    std::string pad = lines[line - 1].substr(0, column - 1);
    for (char& c : pad)
      if (c != '\t') c = ' ';
    return what + "\n  " + lines[line - 1] + "\n  " + pad + '^';
  }
  return what;
}

Program parse_program(const std::string& content, const std::string& path) {
  if (is_trace(content)) return read_trace(content, path);
  std::vector<Source> sources{{content, path}};
  const auto load = [&](const std::string& file, const std::string& from) {
    const std::string full = (std::filesystem::path(from).parent_path() / file).string();
    sources.push_back({read(full), full});
    return sources.back();
  };
  try {
    return assemble(content, path, load);
  } catch (const ProgramError& error) {
    throw ProgramError(with_caret(error.what(), sources));
  }
}

bool is_description(const std::string& content) {
  const std::size_t at = content.find_first_not_of(" \t\r\n");
  return at != std::string::npos && content[at] == '{';
}

std::uint64_t number(const std::string& text, const std::string& where) {
  if (text.empty() || text.size() > 9 ||
      !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }))
    throw ProgramError(where + ": expected a number, found \"" + text + '"');
  return std::stoull(text);
}

// "0-62,64" as pairs [first, last].
std::vector<std::pair<std::uint64_t, std::uint64_t>> parse_ranks(const std::string& text, std::uint64_t ranks,
                                                                 const std::string& where) {
  if (text == "all") return {{0, ranks - 1}};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> out;
  for (const std::string& item : split(text, ',')) {
    const std::vector<std::string> ends = split(item, '-');
    if (ends.size() > 2) throw ProgramError(where + ": expected first-last, found \"" + item + '"');
    const std::uint64_t first = number(ends.front(), where);
    const std::uint64_t last = number(ends.back(), where);
    if (first > last || last >= ranks)
      throw ProgramError(where + ": ranks " + item + " are not within 0-" + std::to_string(ranks - 1));
    out.emplace_back(first, last);
  }
  return out;
}

Job parse_description(const std::string& content, const std::string& path) {
  const ConfigDocument document = ConfigDocument::parse(content, path);
  ConfigNode root = document.root();
  Job job = uniform_job({}, parse_mesh(root.text("mesh"), path + ": mesh"));
  job.programs.clear();
  std::fill(job.program_of.begin(), job.program_of.end(), kNoProgram);
  ConfigNode programs = root.child("programs");
  for (const std::string& file : programs.keys()) {
    const std::string where = path + ": programs." + file;
    for (const auto& [first, last] : parse_ranks(programs.text(file), job.ranks(), where))
      for (std::uint64_t rank = first; rank <= last; ++rank) {
        if (job.program_of[rank] != kNoProgram)
          throw ProgramError(where + ": rank " + std::to_string(rank) + " has a program already");
        job.program_of[rank] = static_cast<std::uint32_t>(job.programs.size());
      }
    job.programs.push_back(load_program((std::filesystem::path(path).parent_path() / file).string()));
  }
  const auto idle = std::find(job.program_of.begin(), job.program_of.end(), kNoProgram);
  if (idle != job.program_of.end())
    throw ProgramError(path + ": programs: rank " + std::to_string(idle - job.program_of.begin()) + " of " +
                       std::to_string(job.ranks()) + " has no program");
  if (root.has("seats"))
    for (const std::string& seat : split(root.text("seats"), ','))
      job.seats.push_back(number(seat, path + ": seats"));
  root.reject_unknown_keys();
  return job;
}

}  // namespace

Program load_program(const std::string& path) { return parse_program(read(path), path); }

std::vector<MeshAxis> parse_mesh(const std::string& text, const std::string& where) {
  std::vector<MeshAxis> mesh;
  std::uint64_t ranks = 1;
  for (const std::string& item : split(text, ',')) {
    const std::size_t equals = item.find('=');
    if (equals == std::string::npos || equals == 0)
      throw ProgramError(where + ": expected axis=size, axis=size such as tp=4,fsdp=16; found \"" + item +
                         '"');
    const std::string axis = item.substr(0, equals);
    const std::uint64_t size = number(item.substr(equals + 1), where + ": " + axis);
    if (size == 0 || size > kMostRanks || ranks * size > kMostRanks)
      throw ProgramError(where + ": " + axis + '=' + std::to_string(size) +
                         ": sizes are positive, and a job has up to " + with_commas(kMostRanks) + " ranks");
    for (const MeshAxis& other : mesh)
      if (other.name == axis) throw ProgramError(where + ": axis " + axis + " stands there twice");
    ranks *= size;
    mesh.push_back({axis, size});
  }
  return mesh;
}

Job load_job(const std::string& path, const std::string& mesh) {
  const std::string content = read(path);
  if (!is_description(content))
    return uniform_job(parse_program(content, path),
                       mesh.empty() ? std::vector<MeshAxis>{} : parse_mesh(mesh, "--mesh"));
  if (!mesh.empty()) throw ProgramError(path + ": the job names its mesh; leave out --mesh");
  try {
    return parse_description(content, path);
  } catch (const ConfigError& error) {
    throw ProgramError(error.what());
  }
}

}  // namespace trn
