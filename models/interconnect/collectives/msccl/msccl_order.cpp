#include "models/interconnect/collectives/msccl/msccl_order.h"

#include <algorithm>

#include "base/error.h"

namespace trn {
namespace {

constexpr std::size_t kShown = 6;  // steps of a cycle in the message

class Order {
 public:
  Order(const MscclProgram& program, const std::vector<MscclMatch>& matches) : program_(program) {
    for (std::uint32_t gpu = 0; gpu < program.gpus.size(); ++gpu) {
      first_.emplace_back();
      for (std::uint32_t block = 0; block < program.gpus[gpu].blocks.size(); ++block) {
        first_[gpu].push_back(static_cast<std::uint32_t>(ids_.size()));
        const auto steps = static_cast<std::uint32_t>(program.gpus[gpu].blocks[block].steps.size());
        for (std::uint32_t step = 0; step < steps; ++step) ids_.push_back({gpu, block, step});
      }
    }
    waits_for_.resize(ids_.size());
    for (std::uint32_t i = 0; i < ids_.size(); ++i) {
      const MscclStepId& id = ids_[i];
      if (id.step > 0) waits_for_[i].push_back(i - 1);
      if (const auto& after = step(id).after)
        waits_for_[i].push_back(index({id.gpu, after->block, after->step}));
    }
    for (const MscclMatch& match : matches) waits_for_[index(match.receive)].push_back(index(match.send));
  }

  std::vector<MscclStepId> run() {
    std::vector<std::vector<std::uint32_t>> frees(ids_.size());
    std::vector<std::size_t> open(ids_.size());
    std::vector<std::uint32_t> ready;
    for (std::uint32_t i = 0; i < ids_.size(); ++i) {
      open[i] = waits_for_[i].size();
      if (open[i] == 0) ready.push_back(i);
      for (const std::uint32_t before : waits_for_[i]) frees[before].push_back(i);
    }
    std::vector<MscclStepId> order;
    for (std::size_t next = 0; next < ready.size(); ++next) {
      order.push_back(ids_[ready[next]]);
      for (const std::uint32_t i : frees[ready[next]])
        if (--open[i] == 0) ready.push_back(i);
    }
    if (order.size() < ids_.size()) report_cycle(open);
    return order;
  }

 private:
  const MscclStep& step(const MscclStepId& id) const {
    return program_.gpus[id.gpu].blocks[id.block].steps[id.step];
  }
  std::uint32_t index(const MscclStepId& id) const { return first_[id.gpu][id.block] + id.step; }

  // A step that cannot run waits for another that cannot: following them ends in a circle.
  [[noreturn]] void report_cycle(const std::vector<std::size_t>& open) const {
    const auto stuck = [&](std::uint32_t i) { return open[i] > 0; };
    std::vector<std::uint32_t> path;
    std::vector<char> on_path(ids_.size());
    std::uint32_t at = 0;
    while (!stuck(at)) ++at;
    for (; !on_path[at]; at = *std::find_if(waits_for_[at].begin(), waits_for_[at].end(), stuck)) {
      path.push_back(at);
      on_path[at] = 1;
    }
    path.erase(path.begin(), std::find(path.begin(), path.end(), at));
    std::string text;
    for (std::size_t i = 0; i < path.size() && i < kShown; ++i)
      text += ids_[path[i]].text() + " (" + step(ids_[path[i]]).info().name + ") waits for ";
    if (path.size() > kShown) text += "... " + std::to_string(path.size() - kShown) + " more ... ";
    throw ProgramError(program_.file + ": steps wait for each other: " + text + ids_[at].text() +
                       "; move a send before a receive in one of these tbs, or drop a depid");
  }

  const MscclProgram& program_;
  std::vector<MscclStepId> ids_;
  std::vector<std::vector<std::uint32_t>> first_;  // index of step 0 by gpu and block
  std::vector<std::vector<std::uint32_t>> waits_for_;
};

}  // namespace

std::vector<MscclStepId> order_msccl_steps(const MscclProgram& program,
                                           const std::vector<MscclMatch>& matches) {
  return Order(program, matches).run();
}

}  // namespace trn
