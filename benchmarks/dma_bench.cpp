// DMA transfers as flows, as packets before a memory of one rate, and before the channels of HBM.
#include <benchmark/benchmark.h>

#include "models/memory/hbm/channel_memory.h"
#include "models/memory/hbm/rate_memory.h"
#include "tests/support/dma_scene.h"

namespace trn {
namespace {

// 500 loads and stores of 256 KiB in rows of 2 KiB on the four queues of each of two cores.
Scene loads_and_stores(const MachineConfig& machine) {
  const std::string block = "[0:128 | 0 | (1,1024)]";
  Scene scene{scene_program({"copy s" + block + ", h" + block, "copy h" + block + ", s" + block}),
              machine.core,
              {},
              2,
              4};
  for (std::uint32_t n = 0; n < 500; ++n) scene.transfers.push_back({n % 2, n / 2 % 4, n / 8 % 2, {}, 0});
  return scene;
}

enum class Model { kFlows, kPackets, kChannels };

void dma_transfers(benchmark::State& state, Model model) {
  const MachineConfig machine = parse_machine(load_machine_document("trn2"), "chip");
  const MegabytesPerSecond rate = machine.hbm.stack_rate;
  const Scene scene = loads_and_stores(machine);
  for (auto _ : state) {
    RateMemory constant(rate);
    ChannelMemory channels(machine.hbm.dram);
    if (model == Model::kFlows) benchmark::DoNotOptimize(run_as_flows(scene, rate));
    if (model == Model::kPackets) benchmark::DoNotOptimize(run_as_packets(scene, constant));
    if (model == Model::kChannels) benchmark::DoNotOptimize(run_as_packets(scene, channels));
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(scene.transfers.size()));
}
BENCHMARK_CAPTURE(dma_transfers, flows, Model::kFlows)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(dma_transfers, packets, Model::kPackets)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(dma_transfers, channels, Model::kChannels)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trn
