#include "tests/support/msccl_machine.h"

#include <algorithm>
#include <deque>
#include <map>

namespace trn {
namespace {

constexpr std::uint32_t kChunks = 4;

std::vector<std::uint8_t> load(const std::vector<std::uint8_t>& buffer, std::uint32_t first,
                               std::uint32_t count) {
  return {buffer.begin() + first, buffer.begin() + first + count};
}

class Interpreter {
 public:
  Interpreter(const MscclProgram& program, MscclBytes& bytes)
      : program_(program), memory_(program), bytes_(bytes), next_(program.gpus.size()) {
    for (std::size_t gpu = 0; gpu < next_.size(); ++gpu) next_[gpu].resize(program.gpus[gpu].blocks.size());
  }

  // True if the thread block's next step ran.
  bool step(std::uint32_t gpu, std::uint32_t index) {
    const MscclBlock& block = program_.gpus[gpu].blocks[index];
    std::uint32_t& next = next_[gpu][index];
    if (next == block.steps.size()) return false;
    const MscclStep& step = block.steps[next];
    const MscclStepInfo& info = step.info();
    if (step.after && next_[gpu][step.after->block] <= step.after->step) return false;
    std::vector<std::uint8_t> value;
    if (info.receives) {
      auto& queue = queues_[{{*block.receive, gpu, block.channel}}];
      if (queue.empty()) return false;
      value = queue.front();
      queue.pop_front();
    } else if (info.reduces) {
      value = at(gpu, step.destination, step.count);
    }
    if (info.uses_source) {
      const std::vector<std::uint8_t> source = at(gpu, step.source, step.count);
      if (value.empty()) value.resize(step.count);
      for (std::size_t i = 0; i < step.count; ++i) value[i] = static_cast<std::uint8_t>(value[i] + source[i]);
    }
    if (info.stores) {
      const MscclPlace to = memory_.locate(gpu, step.destination);
      std::copy(value.begin(), value.end(),
                bytes_[gpu][static_cast<std::size_t>(to.buffer)].begin() + to.chunk);
    }
    if (info.sends) queues_[{{gpu, *block.send, block.channel}}].push_back(value);
    ++next;
    return true;
  }

 private:
  std::vector<std::uint8_t> at(std::uint32_t gpu, const MscclPlace& place, std::uint32_t count) const {
    const MscclPlace from = memory_.locate(gpu, place);
    return load(bytes_[gpu][static_cast<std::size_t>(from.buffer)], from.chunk, count);
  }

  const MscclProgram& program_;
  MscclMemory memory_;
  MscclBytes& bytes_;
  std::vector<std::vector<std::uint32_t>> next_;
  std::map<std::array<std::uint32_t, 3>, std::deque<std::vector<std::uint8_t>>> queues_;
};

}  // namespace

MscclBytes random_msccl_bytes(const MscclMemory& memory, std::mt19937_64& random) {
  MscclBytes bytes(memory.gpus());
  for (std::uint32_t gpu = 0; gpu < bytes.size(); ++gpu)
    for (std::size_t buffer = 0; buffer < 3; ++buffer) {
      bytes[gpu][buffer].resize(memory.chunks(gpu, static_cast<MscclBuffer>(buffer)));
      for (std::uint8_t& byte : bytes[gpu][buffer]) byte = static_cast<std::uint8_t>(random());
    }
  return bytes;
}

void interpret_msccl(const MscclProgram& program, MscclBytes& bytes, std::mt19937_64& random) {
  Interpreter interpreter(program, bytes);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> blocks;
  for (std::uint32_t gpu = 0; gpu < program.gpus.size(); ++gpu)
    for (std::uint32_t block = 0; block < program.gpus[gpu].blocks.size(); ++block)
      blocks.push_back({gpu, block});
  for (bool moved = true; moved;) {
    moved = false;
    std::shuffle(blocks.begin(), blocks.end(), random);
    for (const auto& [gpu, block] : blocks)
      for (std::uint64_t steps = random() % 4; steps-- > 0;) moved |= interpreter.step(gpu, block);
    for (const auto& [gpu, block] : blocks) moved |= interpreter.step(gpu, block);
  }
}

void execute_msccl(const MscclOperations& expanded, MscclBytes& bytes, std::mt19937_64& random) {
  const auto& operations = expanded.operations;
  std::vector<std::size_t> open(operations.size());
  std::vector<std::vector<std::size_t>> frees(operations.size());
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    open[i] = operations[i].after.size();
    if (open[i] == 0) ready.push_back(i);
    for (const std::uint32_t before : operations[i].after) frees[before].push_back(i);
  }
  while (!ready.empty()) {
    std::swap(ready[random() % ready.size()], ready.back());
    const std::size_t i = ready.back();
    ready.pop_back();
    const MscclOperation& o = operations[i];
    const auto buffer = [&](std::uint32_t gpu, const MscclPlace& place) -> std::vector<std::uint8_t>& {
      return bytes[gpu][static_cast<std::size_t>(place.buffer)];
    };
    std::vector<std::uint8_t> value =
        load(buffer(o.source.gpu, o.source.place), o.source.place.chunk, o.count);
    auto& to = buffer(o.destination.gpu, o.destination.place);
    for (std::uint32_t c = 0; o.addend && c < o.count; ++c)
      value[c] =
          static_cast<std::uint8_t>(value[c] + buffer(o.destination.gpu, *o.addend).at(o.addend->chunk + c));
    for (std::uint32_t c = 0; c < o.count; ++c) to.at(o.destination.place.chunk + c) = value[c];
    for (const std::size_t next : frees[i])
      if (--open[next] == 0) ready.push_back(next);
  }
}

MscclProgram random_msccl_program(std::mt19937_64& random) {
  const auto gpus = static_cast<std::uint32_t>(2 + random() % 3);
  MscclProgram program;
  program.file = "random";
  program.collective = "custom";
  program.in_place = random() % 2 == 0;
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
    const std::uint32_t next = (gpu + 1) % gpus, previous = (gpu + gpus - 1) % gpus;
    program.gpus.push_back({{kChunks, kChunks, kChunks}, {{next, previous, 0, {}}, {previous, next, 1, {}}}});
  }
  std::map<std::array<std::uint32_t, 3>, std::deque<std::uint32_t>> sizes;  // in flight
  std::vector<std::optional<MscclDependency>> last(gpus);
  const auto place = [&](std::uint32_t count) {
    return MscclPlace{static_cast<MscclBuffer>(random() % 3),
                      static_cast<std::uint32_t>(random() % (kChunks - count + 1))};
  };
  const auto add = [&](std::uint32_t gpu, std::uint32_t index, MscclStepType type) {
    MscclBlock& block = program.gpus[gpu].blocks[index];
    MscclStep step;
    step.type = type;
    step.count = static_cast<std::uint32_t>(1 + random() % 2);
    if (step.info().receives) {
      auto& queue = sizes[{{*block.receive, gpu, block.channel}}];
      if (queue.empty()) return;
      step.count = queue.front();
      queue.pop_front();
    }
    step.source = place(step.count);
    step.destination = place(step.count);
    step.awaited = true;
    if (last[gpu] && last[gpu]->block != index) step.after = last[gpu];
    last[gpu] = MscclDependency{index, static_cast<std::uint32_t>(block.steps.size())};
    if (step.info().sends) sizes[{{gpu, *block.send, block.channel}}].push_back(step.count);
    block.steps.push_back(step);
  };
  for (std::uint64_t steps = random() % 40; steps-- > 0;)
    add(static_cast<std::uint32_t>(random() % gpus), static_cast<std::uint32_t>(random() % 2),
        static_cast<MscclStepType>(random() % kMscclSteps.size()));
  for (std::uint32_t gpu = 0; gpu < gpus; ++gpu)
    for (std::uint32_t index = 0; index < 2; ++index) {
      const MscclBlock& block = program.gpus[gpu].blocks[index];
      while (!sizes[{{*block.receive, gpu, block.channel}}].empty()) add(gpu, index, MscclStepType::kReceive);
    }
  return program;
}

}  // namespace trn
