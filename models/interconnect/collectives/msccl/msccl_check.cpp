#include "models/interconnect/collectives/msccl/msccl_check.h"

#include "base/error.h"
#include "models/interconnect/collectives/msccl/msccl_order.h"
#include "models/interconnect/collectives/msccl/msccl_queues.h"

namespace trn {
namespace {

class PlaceCheck {
 public:
  explicit PlaceCheck(const MscclProgram& program) : program_(program) {
    for (id_.gpu = 0; id_.gpu < program.gpus.size(); ++id_.gpu)
      for (id_.block = 0; id_.block < gpu().blocks.size(); ++id_.block) {
        check_peer("send", block().send);
        check_peer("recv", block().receive);
        for (id_.step = 0; id_.step < block().steps.size(); ++id_.step) check_step(block().steps[id_.step]);
      }
  }

 private:
  const MscclGpu& gpu() const { return program_.gpus[id_.gpu]; }
  const MscclBlock& block() const { return gpu().blocks[id_.block]; }

  void check_peer(const char* what, const std::optional<std::uint32_t>& peer) const {
    if (!peer || (*peer < program_.gpus.size() && *peer != id_.gpu)) return;
    throw ProgramError(program_.file + ": gpu " + std::to_string(id_.gpu) + " tb " +
                       std::to_string(id_.block) + ": " + what + "=\"" + std::to_string(*peer) +
                       "\", expected another gpu, 0 to " + std::to_string(program_.gpus.size() - 1) +
                       ", or -1");
  }

  void check_step(const MscclStep& step) const {
    const MscclStepInfo& info = step.info();
    if (info.sends && !block().send) fail("sends, but its tb has send=\"-1\"; give the tb a peer");
    if (info.receives && !block().receive) fail("receives, but its tb has recv=\"-1\"; give the tb a peer");
    if (info.uses_source) check_range("srcoff", step.source, step.count);
    if (info.stores) check_range("dstoff", step.destination, step.count);
    if (step.after) check_dependency(*step.after);
  }

  void check_range(const char* what, const MscclPlace& place, std::uint32_t count) const {
    const auto buffer = static_cast<std::size_t>(place.buffer);
    const std::uint32_t size = gpu().chunks[buffer];
    if (place.chunk < size && count <= size - place.chunk) return;
    const std::string name = kMscclBufferNames[buffer];
    fail(std::string(what) + "=\"" + std::to_string(place.chunk) + "\" cnt=\"" + std::to_string(count) +
         "\" leaves buffer " + name + ", which has " + std::to_string(size) + " chunks (" + name +
         "_chunks)");
  }

  void check_dependency(const MscclDependency& after) const {
    const auto& blocks = gpu().blocks;
    if (after.block >= blocks.size())
      fail("depid=\"" + std::to_string(after.block) + "\", but the gpu has " + std::to_string(blocks.size()) +
           " tbs");
    const auto& steps = blocks[after.block].steps;
    if (after.step >= steps.size())
      fail("deps=\"" + std::to_string(after.step) + "\", but tb " + std::to_string(after.block) + " has " +
           std::to_string(steps.size()) + " steps");
    if (!steps[after.step].awaited)
      fail("waits for tb " + std::to_string(after.block) + " step " + std::to_string(after.step) +
           ", which never says that it is done; give that step hasdep=\"1\"");
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw ProgramError(program_.file + ": " + id_.text() + ": " + what);
  }

  const MscclProgram& program_;
  MscclStepId id_{0, 0, 0};
};

}  // namespace

std::vector<MscclStepId> check_msccl(const MscclProgram& program) {
  PlaceCheck{program};
  return order_msccl_steps(program, match_msccl_queues(program));
}

}  // namespace trn
