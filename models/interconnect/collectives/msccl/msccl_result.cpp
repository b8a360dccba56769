#include "models/interconnect/collectives/msccl/msccl_result.h"

#include <unordered_map>

#include "base/error.h"
#include "models/interconnect/collectives/msccl/msccl_operations.h"

namespace trn {
namespace {

// Sums of such numbers agree by chance once in 2^64.
std::uint64_t random_number(std::uint64_t seed) {
  seed += 0x9E3779B97F4A7C15;
  seed = (seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9;
  seed = (seed ^ (seed >> 27)) * 0x94D049BB133111EB;
  return seed ^ (seed >> 31);
}

class Values {
 public:
  void run(const MscclOperations& expanded) {
    std::vector<std::uint64_t> moved;
    for (const MscclOperation& o : expanded.operations) {
      moved.clear();
      for (std::uint32_t c = 0; c < o.count; ++c) {
        std::uint64_t value = at(key(o.source.gpu, o.source.place, c));
        if (o.addend) value += at(key(o.destination.gpu, *o.addend, c));
        moved.push_back(value);
      }
      for (std::uint32_t c = 0; c < o.count; ++c)
        written_[key(o.destination.gpu, o.destination.place, c)] = moved[c];
    }
  }
  std::uint64_t at(const MscclSpot& spot) const { return at(key(spot.gpu, spot.place, 0)); }
  static std::uint64_t before(const MscclSpot& spot) { return random_number(key(spot.gpu, spot.place, 0)); }

 private:
  static std::uint64_t key(std::uint64_t gpu, const MscclPlace& place, std::uint32_t more) {
    return gpu << 34 | static_cast<std::uint64_t>(place.buffer) << 32 | (place.chunk + more);
  }
  std::uint64_t at(std::uint64_t k) const {
    const auto it = written_.find(k);
    return it == written_.end() ? random_number(k) : it->second;
  }
  std::unordered_map<std::uint64_t, std::uint64_t> written_;
};

class ResultCheck {
 public:
  ResultCheck(const MscclProgram& program, const CollectiveTask& task)
      : program_(program),
        task_(task),
        expanded_(expand_msccl(program)),
        gpus_(static_cast<std::uint32_t>(program.gpus.size())),
        total_(program.chunks_per_loop * (task.op == CollectiveOp::kGather ? gpus_ : 1)),
        share_(total_ / gpus_) {
    if (has_shares() && total_ % gpus_ != 0)
      throw ProgramError(program.file + ": nchunksperloop=\"" + std::to_string(total_) +
                         "\", expected a multiple of the " + std::to_string(gpus_) +
                         " gpus, each of which has the same part");
    values_.run(expanded_);
    for (std::uint32_t gpu = 0; gpu < gpus_; ++gpu) check(gpu);
  }

  std::uint32_t total() const { return total_; }

 private:
  using Op = CollectiveOp;
  bool has_shares() const {
    return task_.op != Op::kAllReduce && task_.op != Op::kBroadcast && task_.op != Op::kReduce;
  }

  void check(std::uint32_t gpu) const {
    const bool root = gpu == task_.root;
    switch (task_.op) {
      case Op::kAllReduce:
        return sums(gpu, 0, total_);
      case Op::kReduce:
        if (root) sums(gpu, 0, total_);
        return;
      case Op::kReduceScatter:
        return sums(gpu, gpu * share_, share_);
      case Op::kBroadcast:
        for (std::uint32_t c = 0; c < total_ && !root; ++c)
          expect(output(gpu, c), Values::before(input(task_.root, c)), "gpu " + std::to_string(task_.root));
        return;
      case Op::kScatter:
        if (!root) copies(gpu, task_.root);
        return;
      case Op::kGather:
        if (!root) return;
        [[fallthrough]];
      default:  // all-gather, all-to-all
        for (std::uint32_t from = 0; from < gpus_; ++from)
          if (from != gpu) copies(gpu, from);
    }
  }

  void sums(std::uint32_t gpu, std::uint32_t first, std::uint32_t count) const {
    for (std::uint32_t c = first; c < first + count; ++c) {
      std::uint64_t sum = 0;
      for (std::uint32_t from = 0; from < gpus_; ++from) sum += Values::before(input(from, c));
      expect(output(gpu, c), sum, "all gpus, summed up");
    }
  }

  void copies(std::uint32_t gpu, std::uint32_t from) const {
    const bool sent_by_place = task_.op == Op::kAllToAll || task_.op == Op::kScatter;
    const bool kept_by_place = task_.op != Op::kScatter;
    for (std::uint32_t c = 0; c < share_; ++c)
      expect(output(gpu, (kept_by_place ? from : gpu) * share_ + c),
             Values::before(input(from, (sent_by_place ? gpu : from) * share_ + c)),
             "gpu " + std::to_string(from));
  }

  // By the chunk's number in the collective's data. A buffer that is too small for all of it holds the gpu's
  // part.
  MscclSpot input(std::uint32_t gpu, std::uint32_t chunk) const { return find(gpu, MscclBuffer::kIn, chunk); }
  MscclSpot output(std::uint32_t gpu, std::uint32_t chunk) const {
    return find(gpu, MscclBuffer::kOut, chunk);
  }
  MscclSpot find(std::uint32_t gpu, MscclBuffer buffer, std::uint32_t chunk) const {
    const auto size = [&](MscclBuffer b) { return program_.gpus[gpu].chunks[static_cast<std::size_t>(b)]; };
    if (size(buffer) == 0 && program_.in_place)
      buffer = buffer == MscclBuffer::kIn ? MscclBuffer::kOut : MscclBuffer::kIn;
    const bool part = has_shares() && size(buffer) < total_ && chunk / share_ == gpu;
    const std::uint32_t at = part ? chunk - gpu * share_ : chunk;
    if (at >= size(buffer))
      throw ProgramError(program_.file + ": gpu " + std::to_string(gpu) + ": buffer " +
                         kMscclBufferNames[static_cast<std::size_t>(buffer)] + " has " +
                         std::to_string(size(buffer)) + " chunks, but " + program_.collective + " of " +
                         std::to_string(total_) + " (nchunksperloop) needs chunk " + std::to_string(at) +
                         " of it; raise " + kMscclBufferNames[static_cast<std::size_t>(buffer)] + "_chunks");
    return {gpu, expanded_.memory.locate(gpu, {buffer, at})};
  }

  void expect(const MscclSpot& spot, std::uint64_t value, const std::string& whose) const {
    if (values_.at(spot) == value) return;
    throw ProgramError(program_.file + ": gpu " + std::to_string(spot.gpu) +
                       " ends with wrong data in chunk " + std::to_string(spot.place.chunk) + " of buffer " +
                       kMscclBufferNames[static_cast<std::size_t>(spot.place.buffer)] + "; " +
                       std::string(kCollectiveOps[static_cast<std::size_t>(task_.op)]) +
                       " expects those of " + whose + " there; look at the steps that write it" +
                       (is_rooted() ? ", and at --root" : ""));
  }
  bool is_rooted() const {
    return task_.op == Op::kBroadcast || task_.op == Op::kReduce || task_.op == Op::kGather ||
           task_.op == Op::kScatter;
  }

  const MscclProgram& program_;
  const CollectiveTask& task_;
  const MscclOperations expanded_;
  const std::uint32_t gpus_, total_, share_;
  Values values_;
};

}  // namespace

std::uint32_t check_msccl_result(const MscclProgram& program, const CollectiveTask& task) {
  return ResultCheck(program, task).total();
}

}  // namespace trn
