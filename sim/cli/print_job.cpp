#include "sim/cli/print_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/cli/print_result.h"

namespace trn {
namespace {

// The ranks of one program: how many, and when the first and the last of them finish.
struct ProgramRanks {
  std::uint64_t count = 0;
  Picoseconds first = Picoseconds::max();
  Picoseconds last;
};

std::vector<ProgramRanks> by_program(const Job& job, const JobResult& result) {
  std::vector<ProgramRanks> rows(job.programs.size());
  for (std::uint64_t rank = 0; rank < job.ranks(); ++rank) {
    ProgramRanks& row = rows[job.program_of[rank]];
    ++row.count;
    row.first = std::min(row.first, result.finish[rank]);
    row.last = std::max(row.last, result.finish[rank]);
  }
  return rows;
}

}  // namespace

std::string job_text(const Job& job, const JobResult& result) {
  std::string out =
      fmt::format("job: {}, {} ranks, every one simulated\n", time_text(result.time), job.ranks());
  const std::vector<ProgramRanks> rows = by_program(job, result);
  for (std::size_t p = 0; p < rows.size(); ++p)
    if (rows[p].count > 0)
      out += fmt::format("  {:<20} {:>7} ranks, first done after {}, last after {}\n", job.programs[p].name,
                         rows[p].count, time_text(rows[p].first), time_text(rows[p].last));
  out += fmt::format("  rank {} is the last ({}):\n", result.slowest, job.program(result.slowest).name);
  return out + engine_table(result.slowest_cores) + resource_lines(result.slowest_cores) +
         region_lines(result.slowest_cores) + stall_lines(result.slowest_cores);
}

std::string job_json(const Job& job, const JobResult& result) {
  nlohmann::ordered_json json;
  json["time_us"] = to_us(result.time);
  json["slowest_rank"] = result.slowest;
  for (std::uint64_t rank = 0; rank < job.ranks(); ++rank)
    json["ranks"].push_back({{"program", job.program(rank).name}, {"finish_us", to_us(result.finish[rank])}});
  json["slowest"] = result_json(result.slowest_cores);
  return json.dump(2) + '\n';
}

}  // namespace trn
