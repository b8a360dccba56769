// The plain structs a machine is described by. Parsed once, by value; models never see JSON.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/config/config_document.h"
#include "base/units.h"
#include "isa/rules.h"
#include "models/interconnect/collectives/collective_config.h"
#include "models/interconnect/topology/fabric_config.h"
#include "models/memory/hbm/dram_config.h"
#include "models/memory/hbm/hbm_efficiency.h"

namespace trn {

struct TensorConfig {
  Clock clock;
  std::uint64_t rows;     // SBUF partitions feeding the array
  std::uint64_t columns;  // PSUM partitions written
  Cycles min_interval;    // floor on the gap between two matmuls
  Cycles bubble;          // lost per MATMUL opcode
  Cycles latency;         // past the interval until the result is visible
  std::uint64_t fp32_passes;
  std::uint64_t fp32_opcodes;
  std::uint64_t fp32_transpose_passes;
  bool background_transpose;  // a transpose runs beside a matmul or another transpose
  bool fp8_double_row;
  std::uint64_t
      sparsity_speedup;  // contraction an instruction with structured sparsity covers; 1: no sparsity
  std::uint64_t weight_columns_per_cycle;
  // Moving columns that enter a cycle. More than one packs as many multiply-adds more into a PE (what-if).
  std::uint64_t fp8_columns_per_cycle;
  std::uint64_t mxfp8_columns_per_cycle;
  std::uint64_t mxfp4_columns_per_cycle;
  std::uint64_t moving_max_elements;
  std::uint64_t min_tile;
  Picoseconds limiter_window;  // 0: no current limiter
  std::uint64_t limiter_slowdown;
  std::uint64_t limiter_rearm_percent;
};

struct VectorConfig {
  Clock clock;
  Cycles min_interval;
  Cycles latency;
  std::uint64_t copy_speedup_sbuf_16bit;
  std::uint64_t copy_speedup_psum_16bit;
  std::uint64_t copy_speedup_sbuf_32bit;
  std::uint64_t tensor_tensor_speedup_16bit;
  std::uint64_t tensor_tensor_speedup_32bit;  // all operands in SBUF, contiguous
  bool fp8_fast_modes;                        // fp8 counts as 16 bit wide
  std::uint64_t exponential_speedup;          // EXPV and QMX, where the machine has them
  bool quantize_mxfp4;                        // QMX also writes FP4
};

struct ScalarConfig {
  Clock clock;
  Cycles min_interval;
  Cycles latency;        // of functions that read a table
  Cycles short_latency;  // of the others
  std::uint64_t copy_speedup_16bit;
  Picoseconds table_load;
  Cycles accumulator_read;
};

struct GpSimdConfig {
  Clock clock;
  Cycles startup;
  Cycles latency;
  Cycles gather_index;                   // of a gather: a fixed part an index,
  Cycles gather_element;                 // and a part an element
  std::uint64_t cross_partition_passes;  // over the data by PX reduce, sequence_bounds, nonzero
  std::uint64_t topk_passes;
};

struct SyncConfig {
  Clock clock;
  Cycles control;  // issue slot of NOP, WAIT and POST on every engine
};

// What every engine has in front of it.
struct SequencerConfig {
  Cycles register_load;    // LDR: an element from SBUF into a register
  Cycles taken_branch;     // the prefetch starts again at the label
  Cycles dynamic_operand;  // least interval of an instruction whose address comes from a register
  Picoseconds fetch;       // one instruction, by the prefetch
  Bytes fetch_block;       // fetched from HBM at a time; 0: fetching makes no traffic
  std::uint64_t fetch_block_instructions;
};

struct SemaphoreConfig {
  std::uint64_t count;
  Picoseconds hop;          // post to a waiter of the same core
  Picoseconds sibling_hop;  // post to the other core of an LNC=2 pair
};

struct SbufConfig {
  std::uint64_t partitions;
  Bytes bytes_per_partition;
  Bytes usable_bytes_per_partition;
  bool vector_gpsimd_concurrent;
  std::uint64_t wide_stride_bytes;     // an innermost step of that much or more
  std::uint64_t wide_stride_slowdown;  // takes the port so many times longer
};

struct PsumConfig {
  std::uint64_t banks;
  Bytes bank_bytes;
  bool vector_scalar_concurrent;
};

struct DmaConfig {
  std::uint64_t engines;
  std::uint64_t queues;
  MegabytesPerSecond engine_rate;
  Picoseconds row_overhead;       // engine time per row besides its bytes
  Picoseconds trigger;            // issue slot of the triggering engine
  Picoseconds static_interval;    // between static transfers of one engine
  Picoseconds hardware_interval;  // a descriptor unit's time per transfer
  std::uint64_t hardware_units;
  Picoseconds software_interval;  // GpSimd time per transfer, and per row
  Picoseconds software_row;
  Picoseconds trigger_latency;                      // trigger to first byte
  Picoseconds completion_latency;                   // last byte to waiting engine
  std::uint64_t queue_depth;                        // transfers in flight a queue
  Bytes packet;                                     // arbitration weight
  Bytes outstanding;                                // of an engine, read and not arrived; written likewise
  Picoseconds start_skew;                           // first engine to last, when all start
  std::uint64_t transpose_efficiency_percent;       // from HBM, of the engine rate; 0: not available
  std::uint64_t transpose_sbuf_efficiency_percent;  // from SBUF; 0: not available
  std::uint64_t accumulate_slowdown;
  std::uint64_t priority_classes;
};

struct CoreConfig {
  TensorConfig tensor;
  VectorConfig vector;
  ScalarConfig scalar;
  GpSimdConfig gpsimd;
  SyncConfig sync;
  SequencerConfig sequencer;
  SemaphoreConfig semaphores;
  SbufConfig sbuf;
  PsumConfig psum;
  DmaConfig dma;
};

struct ChipConfig {
  std::uint64_t neuron_cores;
  std::uint64_t marketing_bf16_gflops;
  std::uint64_t vendor_core_bf16_gflops;
  std::uint64_t marketing_fp8_gflops;
  std::uint64_t cc_cores;
  std::optional<double> usd_per_hour;  // a chip's; nothing where no price is published
  std::optional<double> tdp_watts;     // likewise
};

// How a run simulates HBM; no figure of the machine, and in no configuration file.
enum class HbmModel : std::uint8_t {
  kBandwidth,  // one rate a stack, shared by flows
  kChannel     // every burst of every row at its address: channels, banks, rows, refresh
};
inline constexpr std::array<std::string_view, 2> kHbmModels{"bandwidth", "channel"};

struct HbmConfig {
  std::uint64_t stacks;
  std::uint64_t capacity_mib;
  MegabytesPerSecond stack_rate;  // peak
  std::uint64_t reserved_mib_per_core;
  DramConfig dram;           // of one stack
  HbmEfficiency efficiency;  // of dram
  HbmModel model = HbmModel::kBandwidth;

  // What collectives get: as much written as read, in long runs. Bytes a picosecond.
  double collective_stack_rate() const {
    return bytes_per_picosecond(stack_rate) / efficiency.cost(kCollectiveRun).mixed();
  }
  static constexpr std::uint64_t kCollectiveRun = 65536;  // a descriptor's most
};

// Between scale-up domains. Chips may share network cards: all together have `rate` each, and one alone
// `nic_rate`.
struct EfaConfig {
  MegabytesPerSecond rate;  // a direction
  MegabytesPerSecond nic_rate;
  Picoseconds latency;  // HBM to HBM
  std::uint64_t efficiency_percent;
};

struct MachineConfig {
  std::string name;        // trn2, trn4-whatif+clock
  std::string target;      // whose programs it runs: the machine it builds on, or itself
  std::string generation;  // NeuronCore-v3
  std::uint32_t core_version = 3;
  std::string shape;  // instance
  ChipConfig chip;
  CoreConfig core;
  HbmConfig hbm;
  MegabytesPerSecond die_to_die;
  std::vector<std::uint64_t> lnc_allowed;
  CollectiveConfig collectives;
  Picoseconds kernel_overhead;
  FabricConfig fabric;
  EfaConfig efa;

  // BF16 multiply-adds x 2 per second of one core's array: the honest peak.
  double core_bf16_flops() const;
};

// `document` as named by `shape`; ConfigErrors carry the JSON path. All but hbm.efficiency.
MachineConfig parse_figures(const ConfigDocument& document, const std::string& shape);
// With it; an HBM device that has no table yet is measured, which takes some seconds.
MachineConfig parse_machine(const ConfigDocument& document, const std::string& shape);

// What programs may do on this machine.
IsaLimits isa_limits(const MachineConfig& machine);

// Splits "trn2:instance", "file.json:instance" or "trn2:topology.json"; the default shape is "chip".
struct MachineName {
  std::string config;
  std::string shape;
};
MachineName parse_machine_name(const std::string& text);
// A shape that is a file of its own.
bool is_topology_file(const std::string& shape);

// Finds a named configuration (trn2) in the configuration folder, or takes `name` as a file; with its
// overlays (trn4-whatif+clock), see base/config/layered_config.h.
ConfigDocument load_machine_document(const std::string& name);
// The same from a text.
ConfigDocument parse_machine_document(const std::string& text, const std::string& label);
std::vector<std::string> known_machines();

}  // namespace trn
