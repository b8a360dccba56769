#include "models/interconnect/collectives/msccl/msccl_moves.h"

#include <algorithm>

#include "models/interconnect/collectives/msccl/msccl_accesses.h"
#include "models/interconnect/collectives/msccl/msccl_additions.h"

namespace trn {
namespace {

void sort_unique(std::vector<std::uint32_t>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

// Operations to moves, one or two each.
class Splitter {
 public:
  Splitter(const MscclProgram& program, MscclOperations expanded)
      : operations_(std::move(expanded.operations)),
        out_{{}, std::move(expanded.memory), 0},
        accesses_(program.gpus.size()) {
    for (const MscclGpu& gpu : program.gpus) {
      first_block_.push_back(blocks_);
      blocks_ += static_cast<std::uint32_t>(gpu.blocks.size());
    }
    out_.chains = 2 * blocks_;
    for (const MscclOperation& operation : operations_) add(operation);
  }

  MscclMoves take() && { return std::move(out_); }

 private:
  struct Ends {
    std::uint32_t left, arrived;
  };

  void add(const MscclOperation& o) {
    const std::uint32_t chain = first_block_[o.step.gpu] + o.step.block;
    const MscclSpot source = o.source;
    if (o.addend && !o.local()) {
      const MscclSpot arrived{o.destination.gpu, out_.memory.add_scratch(o.destination.gpu, o.count)};
      const std::uint32_t left = move(o, o.source.gpu, {source}, arrived, chain);
      const std::uint32_t sum = move(o, o.destination.gpu, {arrived, {o.destination.gpu, *o.addend}},
                                     o.destination, blocks_ + chain);
      ends_.push_back({left, sum});
      return;
    }
    std::vector<MscclSpot> sources{source};
    if (o.addend) sources.push_back({o.destination.gpu, *o.addend});
    const std::uint32_t both = move(o, o.source.gpu, std::move(sources), o.destination, chain);
    ends_.push_back({both, both});
  }

  std::uint32_t move(const MscclOperation& o, std::uint32_t executor, std::vector<MscclSpot> sources,
                     const MscclSpot& destination, std::uint32_t chain) {
    const auto number = static_cast<std::uint32_t>(out_.moves.size());
    MscclMove m;
    m.executor = executor;
    m.sources = std::move(sources);
    m.destinations = {destination};
    m.count = o.count;
    m.chain = chain;
    for (const std::uint32_t before : o.after) {
      const MscclOperation& other = operations_[before];
      if (other.source.gpu == executor) m.after.push_back(ends_[before].left);
      if (other.destination.gpu == executor) m.after.push_back(ends_[before].arrived);
    }
    for (const MscclSpot& from : m.sources) accesses_.read(from, m.count, number, m.after);
    accesses_.write(destination, m.count, number, m.after);
    sort_unique(m.after);
    out_.moves.push_back(std::move(m));
    return number;
  }

  const std::vector<MscclOperation> operations_;
  MscclMoves out_;
  MscclAccesses accesses_;
  std::vector<std::uint32_t> first_block_;  // by gpu, of all thread blocks
  std::uint32_t blocks_ = 0;
  std::vector<Ends> ends_;  // by operation
};

}  // namespace

MscclMoves msccl_moves(const MscclProgram& program) {
  MscclMoves all = Splitter(program, expand_msccl(program)).take();
  join_msccl_additions(program, all.moves);
  return all;
}

}  // namespace trn
