#include "sim/timeline/size_estimate.h"

#include "base/error.h"
#include "base/text.h"

namespace trn {
namespace {

// With their ends and arrows, as seen in timelines of the kernel library.
constexpr std::uint64_t kInstructionBytes = 115, kTransferBytes = 125;

void count(const NodeList& nodes, std::uint64_t times, ExpectedSize& size) {
  for (const Node& node : nodes) {
    if (node.is_loop()) {
      count(node.body, times * node.repeat, size);
    } else {
      size.instructions += times;
      if (node.instruction.opcode == Opcode::kDma) size.transfers += times;
    }
  }
}

// Rounded up.
std::string size_text(std::uint64_t bytes) {
  return bytes < 1'000'000 ? std::to_string((bytes + 999) / 1000) + " KB"
                           : with_commas((bytes + 999'999) / 1'000'000) + " MB";
}

std::string ways_out(const TimelineOptions& options, const std::string& window) {
  return "; " + window + ", operations only with --timeline-level op, or allow more than " +
         size_text(options.limit_bytes) +
         " with --timeline-limit (viewers in a browser "
         "fail at some hundreds)";
}

}  // namespace

std::uint64_t ExpectedSize::bytes() const {
  return instructions * kInstructionBytes + transfers * kTransferBytes;
}

ExpectedSize expected_size(const Job& job, const std::vector<std::uint64_t>& ranks) {
  std::vector<ExpectedSize> of_program(job.programs.size());
  for (std::size_t p = 0; p < job.programs.size(); ++p)
    for (const CoreProgram& core : job.programs[p].cores)
      for (const NodeList& stream : core.streams) count(stream, 1, of_program[p]);
  ExpectedSize all;
  for (const std::uint64_t rank : ranks) {
    all.instructions += of_program[job.program_of[rank]].instructions;
    all.transfers += of_program[job.program_of[rank]].transfers;
  }
  return all;
}

void check_size(const ExpectedSize& size, const TimelineOptions& options) {
  if (size.bytes() <= options.limit_bytes) return;
  throw CapacityError("--timeline " + options.path + ": about " + size_text(size.bytes()) + " for " +
                      with_commas(size.instructions) + " instructions and " + with_commas(size.transfers) +
                      " transfers" + ways_out(options, "take a part with --timeline-window 0us:200us"));
}

std::string too_large(const TimelineOptions& options, Picoseconds reached) {
  return "--timeline " + options.path + ": more than " + size_text(options.limit_bytes) + " up to " +
         window_time(reached) +
         ways_out(options, "take less with --timeline-window " + window_time(options.window.from) + ':' +
                               window_time(reached));
}

}  // namespace trn
