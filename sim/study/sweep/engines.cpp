#include "sim/study/sweep/engines.h"

#include <fmt/format.h>

#include <boost/process.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/text.h"

namespace trn {
namespace {

namespace process = boost::process;

// For the shell: nothing in it is special.
std::string shell_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string this_program() { return std::filesystem::read_symlink("/proc/self/exe").string(); }

boost::filesystem::path program(const std::string& name, const std::string& package) {
  const boost::filesystem::path path = process::search_path(name);
  if (path.empty())
    throw UsageError("--engine: " + name + " is not on this machine; install " + package +
                     ", or use --engine local");
  return path;
}

void add_options(std::vector<std::string>& arguments, const std::string& options) {
  for (const std::string& option : split(options, ' '))
    if (!option.empty()) arguments.push_back(option);
}

// A worker of this study on any machine that sees this folder.
std::string worker_command(const Submission& s, const std::string& shard) {
  return fmt::format("{} sweep worker {} {} --jobs {}", shell_quoted(this_program()),
                     shell_quoted(std::filesystem::absolute(s.folder).string()), shard, s.jobs);
}

}  // namespace

std::string submit_to_slurm(const Submission& s) {
  const boost::filesystem::path sbatch = program("sbatch", "Slurm's client (slurm-client)");
  const std::string folder = std::filesystem::absolute(s.folder).string();
  const std::string script = folder + "/slurm.sh";
  write_file_atomically(
      script, fmt::format("#!/bin/sh\n"
                          "#SBATCH --job-name=trnsim\n"
                          "#SBATCH --array=0-{}\n"
                          "#SBATCH --requeue\n"
                          "#SBATCH --output={}/slurm-%a.log\n"
                          "exec {}\n",
                          s.shards - 1, folder, worker_command(s, fmt::format("--shards {}", s.shards))));
  std::vector<std::string> arguments;
  if (s.wait) arguments.emplace_back("--wait");
  add_options(arguments, s.options);
  arguments.push_back(script);
  process::ipstream out;
  process::child child(sbatch, process::args(arguments), process::std_out > out);
  std::string line, said;
  while (std::getline(out, line)) said += line;
  child.wait();
  if (child.exit_code() != 0)
    throw UsageError(fmt::format("sbatch ended with {} on {}; {}", child.exit_code(), script,
                                 s.wait ? "its tasks' logs are beside it" : "its message is above"));
  return said;
}

void submit_to_parallel(const Submission& s) {
  const boost::filesystem::path parallel = program("parallel", "GNU parallel (parallel)");
  std::vector<std::string> arguments{"--will-cite", "--halt", "never"};
  if (s.hosts.empty())
    arguments.insert(arguments.end(), {"--jobs", std::to_string(s.shards)});
  else
    arguments.insert(arguments.end(), {"--sshlogin", s.hosts});
  add_options(arguments, s.options);
  arguments.push_back(worker_command(s, fmt::format("--shard {{}}/{}", s.shards)));
  arguments.emplace_back(":::");
  for (std::size_t i = 0; i < s.shards; ++i) arguments.push_back(std::to_string(i));
  process::child child(parallel, process::args(arguments));
  child.wait();
  if (child.exit_code() != 0)
    throw UsageError(
        fmt::format("parallel: {} of {} workers ended with an error, see above; submit again to "
                    "compute what is missing",
                    child.exit_code(), s.shards));
}

}  // namespace trn
