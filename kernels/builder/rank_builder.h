// A rank's program: one core, or the two of an LNC=2 pair, kernel after kernel.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "kernels/builder/core_builder.h"

namespace trn {

// Kernels take turns in halves of SBUF, so that the next one's loads pass the previous one's tail; a kernel
// alone may have all of it.
enum class SbufBudget : std::uint8_t { kHalves, kWhole };

class RankBuilder {
 public:
  RankBuilder(const MachineConfig& machine, const std::string& name, std::size_t cores,
              SbufBudget budget = SbufBudget::kHalves);

  Program& program() { return program_; }
  std::size_t core_count() const { return cores_.size(); }
  const MachineConfig& machine() const { return machine_; }
  HbmTensor hbm(const std::string& name, DType dtype, std::uint64_t rows, std::uint64_t columns) {
    return add_hbm(program_, name, dtype, rows, columns);
  }

  // Runs `body` once for each core, then tells the sibling what was read and written. `body` gets the core's
  // share of [0, items) in multiples of `granule`.
  void kernel(const std::string& region, std::uint64_t items, std::uint64_t granule,
              const std::function<void(CoreBuilder&, std::uint64_t begin, std::uint64_t end)>& body);

  // Issued once, by GpSimd of core 0, when both cores are done with `reads` and `writes`.
  void collective(const std::string& region, const CollectiveDecl& collective,
                  const std::vector<HbmBlock>& reads, const std::vector<HbmBlock>& writes);

  // body(0) ... body(n-1). Four iterations are written; where 1, 2 and 3 come out the same but for advancing
  // fields, the rest become a loop, else they are written too. `body` must not look at anything but its
  // number and tensors.
  void repeat(std::uint64_t n, const std::function<void(std::uint64_t)>& body);

  // The finished program, its streams compressed.
  Program take();

 private:
  struct Mark {
    std::vector<std::array<std::size_t, kEngineCount>> sizes;  // by core
    std::vector<std::vector<std::int64_t>> posted;
    std::vector<std::size_t> accesses;
  };
  using Parts = std::vector<std::vector<std::array<NodeList, kEngineCount>>>;  // by iteration, core, engine
  Mark mark() const;
  std::vector<std::array<NodeList, kEngineCount>> cut(const Mark& from);
  bool repeats(const Parts& parts) const;
  void append(std::vector<std::array<NodeList, kEngineCount>> part);
  void fold(std::uint64_t more, const std::vector<Mark>& marks, Parts parts);
  void shift(std::uint64_t more, const Mark& before, const Mark& middle, const Mark& after);
  void exchange();
  void publish(std::size_t core, std::size_t first_access);

  const MachineConfig& machine_;
  Program program_;
  std::vector<std::unique_ptr<CoreBuilder>> cores_;
  std::vector<std::size_t> published_;  // accesses of each core the sibling knows of
  SbufBudget budget_;
  bool upper_half_ = false;
};

}  // namespace trn
