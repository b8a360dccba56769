#include "models/machine_config.h"

#include <algorithm>

#include "base/config/config_folder.h"
#include "base/config/layered_config.h"
#include "base/text.h"

namespace trn {
namespace {

Clock clock_of(ConfigNode& node) { return {Megahertz(node.positive("clock_mhz"))}; }
Cycles cycles(ConfigNode& node, const char* key) { return Cycles(node.integer(key)); }
Picoseconds ns(ConfigNode& node, const char* key) { return nanoseconds(node.integer(key)); }
MegabytesPerSecond rate(ConfigNode& node, const char* key) { return MegabytesPerSecond(node.positive(key)); }

std::uint64_t percent(ConfigNode& node, const char* key) {
  const std::uint64_t value = node.positive(key);
  if (value > 100) node.fail(key, "expected 1 to 100, found " + std::to_string(value));
  return value;
}

// What is not published is absent, never a number.
std::optional<double> published(ConfigNode& node, const char* key) {
  if (!node.has(key)) return std::nullopt;
  const double value = node.number(key);
  if (value == 0) node.fail(key, "expected a number > 0; what is not known is left out");
  return value;
}

TensorConfig parse_tensor(ConfigNode node) {
  TensorConfig c{};
  c.clock = clock_of(node);
  c.rows = node.positive("rows");
  c.columns = node.positive("columns");
  c.min_interval = cycles(node, "min_interval_cycles");
  c.bubble = cycles(node, "bubble_cycles");
  c.latency = cycles(node, "latency_cycles");
  c.fp32_passes = node.positive("fp32_passes");
  c.fp32_opcodes = node.positive("fp32_opcodes");
  c.fp32_transpose_passes = node.positive("fp32_transpose_passes");
  c.background_transpose = node.flag("background_transpose");
  c.fp8_double_row = node.flag("fp8_double_row");
  c.sparsity_speedup = node.positive("sparsity_speedup");
  c.weight_columns_per_cycle = node.positive("weight_columns_per_cycle");
  c.fp8_columns_per_cycle = node.positive("fp8_columns_per_cycle");
  c.mxfp8_columns_per_cycle = node.positive("mxfp8_columns_per_cycle");
  c.mxfp4_columns_per_cycle = node.positive("mxfp4_columns_per_cycle");
  c.moving_max_elements = node.positive("moving_max_elements");
  c.min_tile = node.positive("min_tile");
  c.limiter_window = ns(node, "limiter_window_ns");
  c.limiter_slowdown = node.positive("limiter_slowdown");
  c.limiter_rearm_percent = percent(node, "limiter_rearm_percent");
  node.reject_unknown_keys();
  return c;
}

VectorConfig parse_vector(ConfigNode node) {
  VectorConfig c{};
  c.clock = clock_of(node);
  c.min_interval = cycles(node, "min_interval_cycles");
  c.latency = cycles(node, "latency_cycles");
  c.copy_speedup_sbuf_16bit = node.positive("copy_speedup_sbuf_16bit");
  c.copy_speedup_psum_16bit = node.positive("copy_speedup_psum_16bit");
  c.copy_speedup_sbuf_32bit = node.positive("copy_speedup_sbuf_32bit");
  c.tensor_tensor_speedup_16bit = node.positive("tensor_tensor_speedup_16bit");
  c.tensor_tensor_speedup_32bit = node.positive("tensor_tensor_speedup_32bit");
  c.fp8_fast_modes = node.flag("fp8_fast_modes");
  c.exponential_speedup = node.positive("exponential_speedup");
  c.quantize_mxfp4 = node.flag("quantize_mxfp4");
  node.reject_unknown_keys();
  return c;
}

ScalarConfig parse_scalar(ConfigNode node) {
  ScalarConfig c{};
  c.clock = clock_of(node);
  c.min_interval = cycles(node, "min_interval_cycles");
  c.latency = cycles(node, "latency_cycles");
  c.short_latency = cycles(node, "short_latency_cycles");
  c.copy_speedup_16bit = node.positive("copy_speedup_16bit");
  c.table_load = ns(node, "table_load_ns");
  c.accumulator_read = cycles(node, "accumulator_read_cycles");
  node.reject_unknown_keys();
  return c;
}

DmaConfig parse_dma(ConfigNode node) {
  DmaConfig c{};
  c.engines = node.positive("engines");
  c.queues = node.positive("queues");
  c.engine_rate = rate(node, "engine_mb_per_s");
  c.row_overhead = Picoseconds(node.integer("row_overhead_ps"));
  c.trigger = ns(node, "trigger_ns");
  c.static_interval = ns(node, "static_interval_ns");
  c.hardware_interval = ns(node, "hardware_interval_ns");
  c.hardware_units = node.integer("hardware_units");
  c.software_interval = ns(node, "software_interval_ns");
  c.software_row = ns(node, "software_row_ns");
  c.trigger_latency = ns(node, "trigger_latency_ns");
  c.start_skew = ns(node, "start_skew_ns");
  c.completion_latency = nanoseconds(node.positive("completion_latency_ns"));
  c.queue_depth = node.positive("queue_depth");
  c.packet = Bytes(node.positive("packet_bytes"));
  c.outstanding = Bytes(node.positive("outstanding_bytes"));
  c.transpose_efficiency_percent = node.integer("transpose_efficiency_percent");
  if (c.transpose_efficiency_percent > 100) node.fail("transpose_efficiency_percent", "expected 0 to 100");
  c.transpose_sbuf_efficiency_percent = node.integer("transpose_sbuf_efficiency_percent");
  if (c.transpose_sbuf_efficiency_percent > 100)
    node.fail("transpose_sbuf_efficiency_percent", "expected 0 to 100");
  c.accumulate_slowdown = node.positive("accumulate_slowdown");
  c.priority_classes = node.positive("priority_classes");
  node.reject_unknown_keys();
  return c;
}

GpSimdConfig parse_gpsimd(ConfigNode node) {
  GpSimdConfig c{};
  c.clock = clock_of(node);
  c.startup = cycles(node, "startup_cycles");
  c.latency = cycles(node, "latency_cycles");
  c.gather_index = cycles(node, "gather_index_cycles");
  c.gather_element = cycles(node, "gather_element_cycles");
  c.cross_partition_passes = node.positive("cross_partition_passes");
  c.topk_passes = node.positive("topk_passes");
  node.reject_unknown_keys();
  return c;
}

CoreConfig parse_core(ConfigNode node) {
  CoreConfig c{};
  c.tensor = parse_tensor(node.child("tensor"));
  c.vector = parse_vector(node.child("vector"));
  c.scalar = parse_scalar(node.child("scalar"));
  c.gpsimd = parse_gpsimd(node.child("gpsimd"));
  ConfigNode sync = node.child("sync");
  c.sync = {clock_of(sync), Cycles(sync.positive("control_cycles"))};
  sync.reject_unknown_keys();
  ConfigNode sequencer = node.child("sequencer");
  c.sequencer.register_load = Cycles(sequencer.positive("register_load_cycles"));
  c.sequencer.taken_branch = Cycles(sequencer.integer("taken_branch_cycles"));
  c.sequencer.dynamic_operand = Cycles(sequencer.integer("dynamic_operand_cycles"));
  const std::uint64_t instruction_bytes = sequencer.positive("instruction_bytes");
  c.sequencer.fetch = Picoseconds(instruction_bytes * 1'000'000 / sequencer.positive("fetch_mb_per_s"));
  c.sequencer.fetch_block = Bytes(sequencer.integer("fetch_block_bytes"));
  if (c.sequencer.fetch_block.count() % instruction_bytes != 0)
    sequencer.fail("fetch_block_bytes", "expected a multiple of instruction_bytes, " +
                                            std::to_string(instruction_bytes) + ", or 0");
  c.sequencer.fetch_block_instructions = c.sequencer.fetch_block.count() / instruction_bytes;
  sequencer.reject_unknown_keys();
  ConfigNode semaphores = node.child("semaphores");
  c.semaphores = {semaphores.positive("count"), nanoseconds(semaphores.positive("hop_ns")),
                  nanoseconds(semaphores.positive("sibling_hop_ns"))};
  semaphores.reject_unknown_keys();
  ConfigNode sbuf = node.child("sbuf");
  c.sbuf = {sbuf.positive("partitions"),
            Bytes(sbuf.positive("bytes_per_partition")),
            Bytes(sbuf.positive("usable_bytes_per_partition")),
            sbuf.flag("vector_gpsimd_concurrent"),
            sbuf.positive("wide_stride_bytes"),
            sbuf.positive("wide_stride_slowdown")};
  if (c.sbuf.usable_bytes_per_partition > c.sbuf.bytes_per_partition)
    sbuf.fail("usable_bytes_per_partition", "more than bytes_per_partition");
  sbuf.reject_unknown_keys();
  ConfigNode psum = node.child("psum");
  c.psum = {psum.positive("banks"), Bytes(psum.positive("bank_bytes")),
            psum.flag("vector_scalar_concurrent")};
  if (c.psum.banks > 64) psum.fail("banks", "at most 64 banks are modelled");
  psum.reject_unknown_keys();
  c.dma = parse_dma(node.child("dma"));
  node.reject_unknown_keys();
  return c;
}

// What the opcode table goes by.
std::uint32_t core_version(const ConfigNode& root, const std::string& generation) {
  for (const std::uint32_t version : {2u, 3u, 4u})
    if (generation == "NeuronCore-v" + std::to_string(version)) return version;
  root.fail("generation", "expected NeuronCore-v2, -v3 or -v4, found \"" + generation + '"');
}

// Every shape of the file is checked. A name that ends in .json is a file of its own, one shape object.
FabricConfig parse_shape(ConfigNode& root, const std::string& name, std::uint64_t protocol) {
  std::optional<ConfigNode> presets;
  if (root.has("link_presets")) presets.emplace(root.child("link_presets"));
  ConfigNode shapes = root.child("shapes");
  const bool file = is_topology_file(name);
  if (!file && !shapes.has(name))
    shapes.fail(name, "unknown shape" + suggestion(name, shapes.keys()) + "; or give a topology.json");
  FabricConfig found;
  for (const std::string& key : shapes.keys()) {
    FabricConfig fabric = parse_fabric(shapes.child(key), protocol, presets);
    if (key == name) found = std::move(fabric);
  }
  return file ? parse_fabric(ConfigDocument::load(name).root(), protocol, presets) : found;
}

}  // namespace

bool is_topology_file(const std::string& shape) {
  return shape.size() > 5 && shape.compare(shape.size() - 5, 5, ".json") == 0;
}

double MachineConfig::core_bf16_flops() const {
  return 2.0 * static_cast<double>(core.tensor.rows * core.tensor.columns) *
         static_cast<double>(core.tensor.clock.frequency.count()) * 1e6;
}

MachineConfig parse_figures(const ConfigDocument& document, const std::string& shape) {
  ConfigNode root = document.root();
  MachineConfig m{};
  m.name = root.text("name");
  m.target = document.foundation().empty() ? m.name : document.foundation();
  m.generation = root.text("generation");
  m.core_version = core_version(root, m.generation);
  m.shape = shape;
  ConfigNode chip = root.child("chip");
  m.chip = {chip.positive("neuron_cores"),
            chip.positive("marketing_bf16_gflops"),
            chip.positive("vendor_core_bf16_gflops"),
            chip.positive("marketing_fp8_gflops"),
            chip.positive("cc_cores"),
            published(chip, "usd_per_hour"),
            published(chip, "tdp_watts")};
  chip.reject_unknown_keys();
  m.core = parse_core(root.child("neuron_core"));
  ConfigNode hbm = root.child("hbm");
  m.hbm = {hbm.positive("stacks"),
           hbm.positive("capacity_mib"),
           rate(hbm, "stack_mb_per_s"),
           hbm.integer("reserved_mib_per_core"),
           {},
           {}};
  m.hbm.dram = parse_dram(hbm.child("dram"), m.hbm.stack_rate);
  if (m.chip.neuron_cores % m.hbm.stacks != 0) hbm.fail("stacks", "must divide chip.neuron_cores");
  hbm.reject_unknown_keys();
  ConfigNode die = root.child("die_to_die");
  m.die_to_die = rate(die, "mb_per_s");
  die.reject_unknown_keys();
  ConfigNode lnc = root.child("lnc");
  m.lnc_allowed = lnc.positives("allowed");
  lnc.reject_unknown_keys();
  m.collectives = CollectiveConfig::parse(root.child("collectives"), shape);
  ConfigNode link = root.child("link");
  const std::uint64_t protocol = percent(link, "protocol_efficiency_percent");
  link.reject_unknown_keys();
  ConfigNode runtime = root.child("runtime");
  m.kernel_overhead = ns(runtime, "kernel_overhead_ns");
  runtime.reject_unknown_keys();
  ConfigNode efa = root.child("efa");
  m.efa = {rate(efa, "mb_per_s"), rate(efa, "nic_mb_per_s"), ns(efa, "latency_ns"),
           percent(efa, "efficiency_percent")};
  if (m.efa.nic_rate < m.efa.rate) efa.fail("nic_mb_per_s", "expected mb_per_s or more");
  efa.reject_unknown_keys();
  m.fabric = parse_shape(root, shape, protocol);
  root.reject_unknown_keys();
  return m;
}

MachineConfig parse_machine(const ConfigDocument& document, const std::string& shape) {
  MachineConfig m = parse_figures(document, shape);
  m.hbm.efficiency = efficiency_of(m.hbm.dram);
  return m;
}

IsaLimits isa_limits(const MachineConfig& m) {
  IsaLimits limits;
  limits.machine = m.name;
  limits.target = m.target;
  limits.version = m.core_version;
  limits.partitions = m.core.sbuf.partitions;
  limits.sbuf_bytes = m.core.sbuf.usable_bytes_per_partition.count();
  limits.psum_banks = m.core.psum.banks;
  limits.psum_bank_bytes = m.core.psum.bank_bytes.count();
  limits.array_rows = m.core.tensor.rows;
  limits.array_columns = m.core.tensor.columns;
  limits.moving_max = m.core.tensor.moving_max_elements;
  limits.min_tile = m.core.tensor.min_tile;
  limits.semaphores = m.core.semaphores.count;
  limits.queues = m.core.dma.engines * m.core.dma.queues;
  limits.double_row = m.core.tensor.fp8_double_row;
  limits.quantize_mxfp4 = m.core.vector.quantize_mxfp4;
  limits.sparsity = m.core.tensor.sparsity_speedup > 1;
  limits.dma_transpose = m.core.dma.transpose_efficiency_percent > 0;
  limits.dma_transpose_sbuf = m.core.dma.transpose_sbuf_efficiency_percent > 0;
  limits.priority_classes = m.core.dma.priority_classes;
  limits.stacks = m.hbm.stacks;
  limits.hardware_descriptors = m.core.dma.hardware_units > 0;
  limits.max_cores = *std::max_element(m.lnc_allowed.begin(), m.lnc_allowed.end());
  return limits;
}

MachineName parse_machine_name(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) return {text, "chip"};
  return {text.substr(0, colon), text.substr(colon + 1)};
}

std::vector<std::string> known_machines() { return names_in(config_folder()); }

ConfigDocument load_machine_document(const std::string& name) {
  return load_layered({config_folder(), "machine"}, name);
}

ConfigDocument parse_machine_document(const std::string& text, const std::string& label) {
  return parse_layered({config_folder(), "machine"}, text, label);
}

}  // namespace trn
