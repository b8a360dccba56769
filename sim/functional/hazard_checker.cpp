#include "sim/functional/hazard_checker.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "isa/semantics/memory.h"
#include "sim/functional/functional_run.h"

namespace trn {
namespace {

constexpr std::uint64_t kQuadrant = 32;  // partitions told apart in SBUF and PSUM

enum class Access : std::uint8_t { kRead, kWrite };

// Cells an operand touches: a byte pair of a quadrant of partitions, or of a tensor in HBM.
class Cells {
 public:
  explicit Cells(const Program& program) : program_(program) {}

  const std::vector<std::uint64_t>& of(std::uint32_t core, const AccessPattern& pattern) {
    cells_.clear();
    const TensorDecl& tensor = program_.tensors[pattern.tensor];
    const std::uint64_t width = size_of(tensor.dtype);
    const std::vector<std::int64_t> offsets = element_offsets(pattern);
    if (tensor.space == Space::kHbm) {
      const std::uint64_t space = (std::uint64_t{1} << 62) | (std::uint64_t{pattern.tensor} << 40);
      for (std::uint32_t r = 0; r < pattern.rows; ++r)
        for (const std::int64_t offset : offsets)
          cells_.push_back(
              space | static_cast<std::uint64_t>(
                          (pattern.row + r) * static_cast<std::int64_t>(tensor.row_elements()) + offset));
      return cells_;
    }
    const std::uint64_t space =
        (std::uint64_t{core} << 60) | (std::uint64_t{tensor.space == Space::kPsum} << 59);
    const auto first = static_cast<std::uint64_t>(pattern.row) / kQuadrant;
    const std::uint64_t last = (static_cast<std::uint64_t>(pattern.row) + pattern.rows - 1) / kQuadrant;
    for (std::uint64_t quadrant = first; quadrant <= last; ++quadrant)
      for (const std::int64_t offset : offsets) {
        const std::uint64_t byte = tensor.address + static_cast<std::uint64_t>(offset) * width;
        for (std::uint64_t pair = byte / 2; pair <= (byte + width - 1) / 2; ++pair)
          cells_.push_back(space | quadrant << 40 | pair);
      }
    return cells_;
  }

 private:
  const Program& program_;
  std::vector<std::uint64_t> cells_;
};

class Finder {
 public:
  Finder(const Program& program, const std::vector<ExecutionStep>& steps)
      : program_(program), steps_(steps), order_(steps, program.cores.size()), cells_(program) {}

  std::vector<std::string> run() {
    for (std::uint32_t s = 0; s < steps_.size(); ++s) {
      const ExecutionStep& step = steps_[s];
      const Instruction& i = step.instruction;
      if (i.opcode == Opcode::kDma && !step.transfer) continue;  // the trigger touches nothing
      for (std::size_t k = 0; k < i.source_count; ++k)
        if (!is_result(i, k)) touch(s, i.src[k], Access::kRead);
      for (std::size_t k = 0; k < i.source_count; ++k)
        if (is_result(i, k)) touch(s, i.src[k], Access::kWrite);
      if (takes_destination(info(i.opcode).operands)) touch(s, i.dst, Access::kWrite);
    }
    check_clears();
    return std::move(lines_);
  }

 private:
  struct Cell {
    std::uint32_t writer = kNobody;
    std::vector<std::uint32_t> readers;  // since the last write; the latest of each engine or transfer
  };
  static constexpr std::uint32_t kNobody = ~0u;

  void touch(std::uint32_t s, const AccessPattern& pattern, Access access) {
    const ExecutionStep& step = steps_[s];
    const bool sent = step.transfer && access == Access::kWrite &&
                      step.instruction.kind == static_cast<std::uint8_t>(DmaKind::kSend);
    for (const std::uint64_t at : cells_.of(sent ? step.core ^ 1u : step.core, pattern)) {
      Cell& cell = memory_[at];
      if (cell.writer != kNobody && cell.writer != s) check_after_write(cell.writer, s, pattern, access);
      if (access == Access::kRead) {
        add_reader(cell.readers, s);
        continue;
      }
      for (const std::uint32_t reader : cell.readers)
        if (reader != s && !order_.read_before(reader, s) && !same_engine(reader, s))
          report("overwrites", s, pattern, "is still to be read by", reader);
      cell.readers.clear();
      cell.writer = s;
    }
  }

  void check_after_write(std::uint32_t writer, std::uint32_t s, const AccessPattern& pattern, Access access) {
    if (order_.complete_before(writer, s)) return;
    // An engine's results appear in order; its reads wait for them, but for the array adding onto its own
    // sums.
    const bool adds = steps_[s].engine == Engine::kTensor && access == Access::kWrite;
    if (same_engine(writer, s) && (access == Access::kWrite || adds)) return;
    report(access == Access::kRead ? "reads" : "overwrites", s, pattern, "is still to be written by", writer);
  }

  // A clear must come after everything that posted before it, and before everything that posts after it.
  void check_clears() {
    for (std::uint32_t c = 0; c < steps_.size(); ++c) {
      const ExecutionStep& clear = steps_[c];
      if (clear.instruction.opcode != Opcode::kClearSemaphore) continue;
      const std::uint16_t semaphore = clear.instruction.control.semaphore;
      for (std::uint32_t p = 0; p < steps_.size(); ++p) {
        const ExecutionStep& post = steps_[p];
        if (post.instruction.post.semaphore != semaphore ||
            (post.instruction.opcode == Opcode::kDma && !post.transfer) ||
            (post.core ^ (post.instruction.post.sibling ? 1u : 0u)) != clear.core)
          continue;
        const bool ordered =
            p < c ? order_.complete_before(p, c) : same_engine(p, c) || order_.complete_before(c, p);
        if (ordered) continue;
        const std::string line = name(c) + " clears " + program_.semaphores[semaphore] +
                                 ", which may still be posted by " + name(p);
        if (told_.insert(line).second) lines_.push_back(line);
      }
    }
  }

  // Transfers of a queue are told apart: their 16 engines need not keep step.
  bool same_engine(std::uint32_t a, std::uint32_t b) const {
    return !steps_[a].transfer && !steps_[b].transfer && steps_[a].core == steps_[b].core &&
           steps_[a].engine == steps_[b].engine;
  }

  void add_reader(std::vector<std::uint32_t>& readers, std::uint32_t s) {
    for (std::uint32_t& reader : readers)
      if (same_engine(reader, s)) {
        reader = s;
        return;
      }
    if (readers.empty() || readers.back() != s) readers.push_back(s);
  }

  std::string name(std::uint32_t s) const {
    const ExecutionStep& step = steps_[s];
    return "core " + std::to_string(step.core) + ' ' + std::string(short_name(step.engine)) + ' ' +
           std::string(info(step.instruction.opcode).mnemonic) + " (region " +
           program_.regions[step.instruction.region] + ")";
  }

  void report(const char* does, std::uint32_t s, const AccessPattern& pattern, const char* what,
              std::uint32_t other) {
    const std::string line = name(s) + ' ' + does + ' ' + program_.tensors[pattern.tensor].name +
                             " without waiting: it " + what + ' ' + name(other);
    if (told_.insert(line).second) lines_.push_back(line);
  }

  const Program& program_;
  const std::vector<ExecutionStep>& steps_;
  HappensBefore order_;
  Cells cells_;
  std::unordered_map<std::uint64_t, Cell> memory_;  // looked up, never walked
  std::set<std::string> told_;
  std::vector<std::string> lines_;
};

}  // namespace

void HazardChecker::issued(const IssuedInstruction& issued) {
  steps_.push_back({issued.core, issued.engine, false, 0, resolved(issued)});
}

std::uint64_t HazardChecker::transfer_triggered(const IssuedInstruction& issued, Picoseconds,
                                                const TransferShape&) {
  steps_.push_back({issued.core, issued.engine, false, 0, resolved(issued)});
  const auto trigger = static_cast<std::uint32_t>(steps_.size() - 1);
  steps_.push_back({issued.core, issued.engine, true, trigger, steps_.back().instruction});
  return trigger;
}

std::vector<std::string> HazardChecker::hazards() const { return Finder(program_, steps_).run(); }

}  // namespace trn
