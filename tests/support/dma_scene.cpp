#include "tests/support/dma_scene.h"

#include "isa/assembler/assembler.h"
#include "models/memory/dma/dma_queues.h"

namespace trn {
namespace {

const Instruction& instruction_of(const Scene& scene, std::size_t transfer) {
  return scene.program.cores[0]
      .streams[index_of(Engine::kSync)][scene.transfers[transfer].instruction]
      .instruction;
}

void add_queues(const Scene& scene, std::uint32_t stack, const std::vector<std::uint32_t>& engines,
                TransferQueues& queues) {
  std::vector<std::uint32_t> priority(std::size_t{scene.cores} * scene.queues);
  for (const SceneTransfer& t : scene.transfers) priority[t.core * scene.queues + t.queue] = t.priority;
  for (std::uint32_t c = 0; c < scene.cores; ++c)
    for (std::uint32_t q = 0; q < scene.queues; ++q)
      queues.add_queue({engines[c], stack}, priority[c * scene.queues + q], DescriptorMode::kHardware);
}

SceneResult run(const Scene& scene, Traffic& traffic, TransferQueues& queues) {
  for (std::size_t n = 0; n < scene.transfers.size(); ++n) {
    const SceneTransfer& t = scene.transfers[n];
    TransferRequest request;
    request.core = t.core;
    request.queue = static_cast<std::uint16_t>(t.queue);
    request.number = n;
    request.first_byte = request.triggered = t.at;
    request.shape = shape_of(scene, n);
    queues.submit(t.core * scene.queues + t.queue, 0, request);
  }
  SceneResult result;
  result.done.resize(scene.transfers.size());
  Picoseconds now;
  while (const std::optional<Picoseconds> next = traffic.next_event(now)) {
    now = *next;
    traffic.advance(now);
    for (const TransferDone& done : queues.completed()) result.done[done.number] = now;
    queues.completed().clear();
  }
  result.totals = queues.totals();
  result.times = queues.regions(0).at(0);
  return result;
}

struct Resources {
  std::uint32_t stack;
  std::vector<std::uint32_t> engines;
};

Resources add_resources(const Scene& scene, MegabytesPerSecond stack, Traffic& traffic) {
  Resources r{traffic.flows().add_resource("stack", bytes_per_picosecond(stack)), {}};
  for (std::uint32_t c = 0; c < scene.cores; ++c)
    r.engines.push_back(traffic.flows().add_resource("engines", 1));
  return r;
}

}  // namespace

Program scene_program(const std::vector<std::string>& dmas) {
  std::string text =
      ".target trn2\n"
      ".tensor h space=hbm dtype=bf16 shape=[128,131072]\n"
      ".tensor g space=hbm dtype=bf16 shape=[128,131072]\n"
      ".tensor s space=sbuf dtype=bf16 shape=[128,65536]\n"
      ".tensor t space=sbuf dtype=bf16 shape=[128,65536]\n"
      ".queue q engine=SP dge=hw\n.engine SP\n";
  for (const std::string& dma : dmas) text += "DMA " + dma + ", q=q\n";
  return assemble(text + ".end\n", "scene");
}

TransferShape shape_of(const Scene& scene, std::size_t transfer) {
  return transfer_shape(instruction_of(scene, transfer), scene.program, scene.core);
}

SceneResult run_as_flows(const Scene& scene, MegabytesPerSecond stack) {
  Traffic traffic;
  const Resources r = add_resources(scene, stack, traffic);
  const HbmEfficiency every_byte_alike{{{64, 1, 1, 1}}, {}};
  DmaQueues queues(traffic, scene.core.dma, every_byte_alike);
  add_queues(scene, r.stack, r.engines, queues);
  return run(scene, traffic, queues);
}

SceneResult run_as_packets(const Scene& scene, MemoryPort& memory) {
  Traffic traffic;
  const Resources r = add_resources(scene, MegabytesPerSecond(1), traffic);
  const HbmLayout layout(scene.program);
  PacketDma queues(traffic, scene.core.dma, {&memory}, [&](const TransferRequest& request) {
    return packet_transfer(instruction_of(scene, request.number), scene.program, layout, scene.core);
  });
  add_queues(scene, r.stack, r.engines, queues);
  SceneResult result = run(scene, traffic, queues);
  result.memory = memory.totals();
  return result;
}

}  // namespace trn
