#include "models/interconnect/collectives/schedule.h"

#include <algorithm>

#include "base/error.h"

namespace trn {
namespace {

// HBM touches of a byte on its way, from the vendor's counts for rings: reduce-scatter reads the local and
// the arrived chunk and writes the sum to the next chip; all-gather reads and writes once.
constexpr double kReduceTouches = 3;
constexpr double kGatherTouches = 2;

class Builder {
 public:
  Builder(const CollectiveShape& shape, const Topology& topology) : shape_(shape), topology_(topology) {}

  Schedule run() {
    const double chips = static_cast<double>(topology_.chips());
    const double ranks = static_cast<double>(shape_.ranks_per_chip);
    const double bytes = static_cast<double>(shape_.bytes);
    switch (shape_.op) {
      case CollectiveOp::kAllReduce:
        chains(bytes, true, true);
        break;
      case CollectiveOp::kReduceScatter:
        chains(bytes, true, false);
        break;
      case CollectiveOp::kAllGather:
        chains(bytes, false, true);
        break;
      case CollectiveOp::kAllToAll:
        if (topology_.chips() > 1) {
          ScheduleStep step;
          step.move = Move::kAllToAll;
          step.bytes = bytes * ranks * (chips - 1) / chips;
          step.hbm_per_byte = 2;
          step.dma_per_byte = 1;
          add(step);
        }
        if (shape_.ranks_per_chip > 1) add(local(bytes * (ranks - 1) / chips, 2, 1));
        break;
    }
    for (const ScheduleStep& step : out_.steps)
      if (step.move != Move::kLocal) out_.link_bytes += step.bytes;
    return std::move(out_);
  }

 private:
  std::uint32_t add(ScheduleStep step) {
    out_.steps.push_back(std::move(step));
    return static_cast<std::uint32_t>(out_.steps.size() - 1);
  }

  static ScheduleStep local(double bytes, double hbm, double dma) {
    ScheduleStep step;
    step.bytes = bytes;
    step.hbm_per_byte = hbm;
    step.dma_per_byte = dma;
    return step;
  }
  // Each rank reduces its 1/R of all R buffers of the chip: R reads and one write of 1/R, R ranks. Together
  // the chips then move `bytes`.
  ScheduleStep chip_reduce(double bytes) const {
    const double ranks = static_cast<double>(shape_.ranks_per_chip);
    return local(bytes * ranks, (ranks + 1) / ranks, static_cast<double>(shape_.reduce_slowdown));
  }
  ScheduleStep chip_gather(double bytes) const {
    return local(bytes * (static_cast<double>(shape_.ranks_per_chip) - 1), 2, 1);
  }

  // One chain an order, direction and slice: reduce in the chip, reduce-scatter over the order, all-gather
  // back over it, gather in the chip. Slices follow each other, so that the chip's part hides behind the
  // links'.
  void chains(double bytes, bool reduce, bool gather) {
    const std::vector<BucketOrder> orders =
        topology_.chips() > 1 ? balanced_orders(topology_) : std::vector<BucketOrder>{{{}, 1}};
    const double count = 2.0 * static_cast<double>(orders.size());
    const double wanted = bytes / (count * static_cast<double>(shape_.min_slice_bytes));
    const std::uint64_t slices = std::max<std::uint64_t>(
        2, static_cast<std::uint64_t>(std::min(wanted, static_cast<double>(shape_.slices))));
    for (const BucketOrder& order : orders) {
      for (const bool forward : {true, false}) {
        std::vector<std::uint32_t> previous;  // the slice before: rings serve slices in order
        for (std::uint64_t s = 0; s < slices; ++s)
          previous = chain(order.dimensions, bytes * order.share / 2 / static_cast<double>(slices), forward,
                           reduce, gather, previous);
      }
    }
  }

  std::vector<std::uint32_t> chain(const std::vector<std::uint32_t>& order, double bytes, bool forward,
                                   bool reduce, bool gather, const std::vector<std::uint32_t>& previous) {
    std::vector<std::uint32_t> steps;
    const auto append = [&](ScheduleStep step) {
      if (!steps.empty()) step.received = {steps.back()};
      if (!previous.empty()) step.own = {previous[steps.size()]};
      steps.push_back(add(std::move(step)));
    };
    const auto phase = [&](std::uint32_t d, double data, bool reducing) {
      const Dimension& dimension = topology_.dimensions()[d];
      const double size = static_cast<double>(dimension.size);
      const bool ring = dimension.kind == DimensionKind::kRing;
      const std::uint64_t count = ring ? dimension.size - 1 : 1;
      for (std::uint64_t i = 0; i < count; ++i) {
        ScheduleStep step;
        step.move = ring ? Move::kRing : Move::kExchange;
        step.dimension = d;
        step.forward = forward;
        step.bytes = ring ? data / size : data * (size - 1) / size;
        step.hbm_per_byte = reducing ? kReduceTouches : kGatherTouches;
        step.dma_per_byte = reducing ? static_cast<double>(shape_.reduce_slowdown) : 1;
        append(std::move(step));
      }
    };
    if (reduce && shape_.ranks_per_chip > 1) append(chip_reduce(bytes));
    double data = bytes;
    for (const std::uint32_t d : order) {
      if (reduce) phase(d, data, true);
      data /= static_cast<double>(topology_.dimensions()[d].size);
    }
    for (auto d = order.rbegin(); d != order.rend(); ++d) {
      data *= static_cast<double>(topology_.dimensions()[*d].size);
      if (gather) phase(*d, data, false);
    }
    if (gather && shape_.ranks_per_chip > 1) append(chip_gather(bytes));
    for (const std::uint32_t s : steps)
      if (out_.steps[s].move != Move::kLocal)
        out_.steps[s].ring_share = 1 / static_cast<double>(steps.size());
    return steps;
  }

  const CollectiveShape& shape_;
  const Topology& topology_;
  Schedule out_;
};

}  // namespace

Schedule make_schedule(const CollectiveShape& shape, const Topology& topology) {
  TRN_CHECK(shape.bytes > 0 && shape.ranks_per_chip > 0, "an empty collective");
  return Builder(shape, topology).run();
}

// A rank fetches what it lacks from the others' memory. To reduce, it reads its share of every rank's buffer
// and writes the sum: R reads and one write of bytes/R.
Schedule make_chip_schedule(CollectiveOp op, std::uint64_t bytes, std::uint64_t ranks,
                            std::uint64_t reduce_slowdown) {
  TRN_CHECK(ranks > 1 && bytes > 0, "an empty collective");
  const double r = static_cast<double>(ranks);
  ScheduleStep step;
  step.bytes = static_cast<double>(bytes) * (r - 1) / r;
  step.hbm_per_byte = 2;
  step.dma_per_byte = 1;
  ScheduleStep reduce = step;
  reduce.hbm_per_byte = (r + 1) / (r - 1);
  reduce.dma_per_byte = static_cast<double>(reduce_slowdown);
  Schedule schedule;
  if (op == CollectiveOp::kAllReduce) {
    step.received = {0};
    schedule.steps = {reduce, step};
  } else {
    schedule.steps = {op == CollectiveOp::kReduceScatter ? reduce : step};
  }
  return schedule;
}

}  // namespace trn
