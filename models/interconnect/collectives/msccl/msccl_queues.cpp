#include "models/interconnect/collectives/msccl/msccl_queues.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/error.h"

namespace trn {
namespace {

struct Queue {
  std::vector<MscclStepId> sends, receives;
};
using Ends = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // from, to, channel

class Matching {
 public:
  explicit Matching(const MscclProgram& program) : program_(program) {
    MscclStepId id{};
    for (id.gpu = 0; id.gpu < program.gpus.size(); ++id.gpu)
      for (id.block = 0; id.block < program.gpus[id.gpu].blocks.size(); ++id.block) {
        const MscclBlock& block = program.gpus[id.gpu].blocks[id.block];
        for (id.step = 0; id.step < block.steps.size(); ++id.step) {
          const MscclStepInfo& info = block.steps[id.step].info();
          if (info.sends)
            add(queues_[{id.gpu, *block.send, block.channel}].sends, id, "sends to", *block.send);
          if (info.receives)
            add(queues_[{*block.receive, id.gpu, block.channel}].receives, id, "receives from",
                *block.receive);
        }
      }
  }

  std::vector<MscclMatch> run() const {
    std::vector<MscclMatch> matches;
    for (const auto& [ends, queue] : queues_) {
      const std::size_t both = std::min(queue.sends.size(), queue.receives.size());
      for (std::size_t i = 0; i < both; ++i) matches.push_back(match(queue.sends[i], queue.receives[i]));
      if (queue.sends.size() > both)
        lonely(queue.sends[both], "sends to", std::get<1>(ends), "receives", ends);
      if (queue.receives.size() > both)
        lonely(queue.receives[both], "receives from", std::get<0>(ends), "sends", ends);
    }
    return matches;
  }

 private:
  const MscclStep& step(const MscclStepId& id) const {
    return program_.gpus[id.gpu].blocks[id.block].steps[id.step];
  }

  // A queue has one thread block at each end: two would take turns as they please.
  void add(std::vector<MscclStepId>& end, const MscclStepId& id, const char* what, std::uint32_t peer) const {
    if (!end.empty() && end.back().block != id.block)
      fail(id, std::string(what) + " gpu " + std::to_string(peer) + " on the channel of tb " +
                   std::to_string(end.back().block) + "; give one of the two another chan");
    end.push_back(id);
  }

  MscclMatch match(const MscclStepId& send, const MscclStepId& receive) const {
    if (step(send).count != step(receive).count)
      fail(receive, "receives " + std::to_string(step(receive).count) + " chunks (cnt) of the " +
                        std::to_string(step(send).count) + " that " + send.text() +
                        " sends; they must be equal");
    return {send, receive};
  }

  [[noreturn]] void lonely(const MscclStepId& id, const char* does, std::uint32_t peer, const char* partner,
                           const Ends& ends) const {
    fail(id, std::string(does) + " gpu " + std::to_string(peer) + " on channel " +
                 std::to_string(std::get<2>(ends)) + ", where nothing is left that " + partner +
                 "; add a step there or remove this one");
  }

  [[noreturn]] void fail(const MscclStepId& id, const std::string& what) const {
    throw ProgramError(program_.file + ": " + id.text() + " (" + step(id).info().name + "): " + what);
  }

  const MscclProgram& program_;
  std::map<Ends, Queue> queues_;
};

}  // namespace

std::vector<MscclMatch> match_msccl_queues(const MscclProgram& program) { return Matching(program).run(); }

}  // namespace trn
