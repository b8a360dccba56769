#include "sim/tables/summary_table.h"

#include "base/stats/stats.h"
#include "sim/tables/columns.h"

namespace trn {
namespace {

using Source = SummarySource;
using Column = ColumnOf<Source>;
constexpr ColumnType kInteger = ColumnType::kInteger, kReal = ColumnType::kReal;
constexpr double kPercent = 100;

TableValue seconds(Picoseconds time) { return to_seconds(time); }
TableValue percent(double part, double all) { return kPercent * ratio(part, all); }
TableValue time_percent(Picoseconds part, const Source& s) {
  return percent(to_seconds(part), to_seconds(s.time));
}
double hbm_bytes(const Source& s) {
  return static_cast<double>(s.sums.moved.read_from(Space::kHbm) + s.sums.moved.written_to(Space::kHbm));
}
double stack_rate(const Source& s) { return static_cast<double>(s.machine.hbm.stack_rate.count()) * 1e6; }
double model_flops(const Source& s) {
  return static_cast<double>(s.program.model_flops) / static_cast<double>(s.cores);
}
TableValue flops_percent(double flops, const Source& s) {
  return percent(flops, s.machine.core_bf16_flops() * to_seconds(s.time));
}
TableValue max_percent(double flops, const Source& s) {
  return kPercent * ratio(ratio(flops, hbm_bytes(s)), s.machine.core_bf16_flops() / stack_rate(s));
}

const std::vector<Column>& work_columns() {
  static const std::vector<Column> kColumns{
      {{"total_time", kReal, "seconds",
        "until the rank's last instruction, transfer and collective are complete"},
       [](const Source& s) { return seconds(s.time); }},
      {{"model_flops", kInteger, "flops", "useful ones as the program says, an equal part for each core"},
       [](const Source& s) { return whole(s.program.model_flops / s.cores); }},
      {{"hardware_flops", kInteger, "flops", "of the array's matmuls; transposes count nothing"},
       [](const Source& s) { return whole(s.sums.flops); }},
      {{"adjusted_hardware_flops", kInteger, "flops", "as BF16: see Instruction.adjusted_flops"},
       [](const Source& s) { return TableValue(static_cast<std::int64_t>(s.sums.adjusted_flops)); }},
      {{"mm_arithmetic_intensity", kReal, "", "hardware_flops over HBM bytes read and written"},
       [](const Source& s) { return TableValue(ratio(static_cast<double>(s.sums.flops), hbm_bytes(s))); }},
      {{"peak_flops_bandwidth_ratio", kReal, "", "BF16 peak of the array over the peak of an HBM stack"},
       [](const Source& s) { return TableValue(s.machine.core_bf16_flops() / stack_rate(s)); }},
      {{"mfu_estimated_percent", kReal, "percent", "model_flops over the BF16 peak of the array"},
       [](const Source& s) { return flops_percent(model_flops(s), s); }},
      {{"mfu_max_achievable_estimated_percent", kReal, "percent",
        "what HBM lets through at these bytes: may exceed 100"},
       [](const Source& s) { return max_percent(model_flops(s), s); }},
      {{"mfu_inst_estimated_percent", kReal, "percent", "hardware_flops over the BF16 peak of the array"},
       [](const Source& s) { return flops_percent(static_cast<double>(s.sums.flops), s); }},
      {{"mfu_inst_max_achievable_estimated_percent", kReal, "percent", "the same with hardware_flops"},
       [](const Source& s) { return max_percent(static_cast<double>(s.sums.flops), s); }},
      {{"hfu_estimated_percent", kReal, "percent", "as mfu_inst_estimated_percent: transposes count nothing"},
       [](const Source& s) { return flops_percent(static_cast<double>(s.sums.flops), s); }},
      {{"mbu_estimated_percent", kReal, "percent",
        "HBM bytes of this core's transfers over the peak of a stack, which the cores of a pair share"},
       [](const Source& s) { return percent(hbm_bytes(s), stack_rate(s) * to_seconds(s.time)); }},
      {{"hbm_read_bytes", kInteger, "bytes", "by transfers; collectives are not counted"},
       [](const Source& s) { return whole(s.sums.moved.read_from(Space::kHbm)); }},
      {{"hbm_write_bytes", kInteger, "bytes", "by transfers; collectives are not counted"},
       [](const Source& s) { return whole(s.sums.moved.written_to(Space::kHbm)); }},
      {{"sbuf_read_bytes", kInteger, "bytes", "by instructions and transfers"},
       [](const Source& s) { return whole(s.sums.moved.read_from(Space::kSbuf)); }},
      {{"sbuf_write_bytes", kInteger, "bytes", "by instructions and transfers"},
       [](const Source& s) { return whole(s.sums.moved.written_to(Space::kSbuf)); }},
      {{"psum_read_bytes", kInteger, "bytes", "by instructions; what a matmul adds to does not count"},
       [](const Source& s) { return whole(s.sums.moved.read_from(Space::kPsum)); }},
      {{"psum_write_bytes", kInteger, "bytes", "by instructions"},
       [](const Source& s) { return whole(s.sums.moved.written_to(Space::kPsum)); }},
      {{"psum_read_sbuf_write_count", kInteger, "", "instructions that read PSUM and write SBUF"},
       [](const Source& s) { return whole(s.sums.psum_to_sbuf); }},
      {{"psum_read_sbuf_write_bytes", kInteger, "bytes", "read from PSUM by them"},
       [](const Source& s) { return whole(s.sums.psum_to_sbuf_bytes); }},
      {{"matmul_instruction_count", kInteger, "", "MATMUL instructions"},
       [](const Source& s) { return whole(s.sums.matmuls); }},
      {{"activate_instruction_count", kInteger, "", "ACT instructions"},
       [](const Source& s) { return whole(s.sums.activations); }},
      {{"activate_instruction_time", kReal, "seconds", "of ACT instructions, overlapping ones added"},
       [](const Source& s) { return seconds(s.sums.activation_time); }},
  };
  return kColumns;
}

const std::vector<Column>& dma_columns() {
  static const std::vector<Column> kColumns{
      {{"dma_active_time", kReal, "seconds", "at least one transfer moving"},
       [](const Source& s) { return seconds(s.sums.dma_active.time()); }},
      {{"dma_active_time_percent", kReal, "percent", "of total_time"},
       [](const Source& s) { return time_percent(s.sums.dma_active.time(), s); }},
      {{"dma_transfer_time", kReal, "seconds", "of all transfers, overlapping ones added"},
       [](const Source& s) { return seconds(s.sums.transfer_time); }},
      {{"dma_transfer_count", kInteger, "", "transfers"},
       [](const Source& s) { return whole(s.sums.transfers); }},
      {{"dma_transfer_total_bytes", kInteger, "bytes", "through the DMA engines"},
       [](const Source& s) { return whole(s.sums.transfer_bytes); }},
      {{"dma_transfer_average_bytes", kReal, "bytes", "of a transfer"},
       [](const Source& s) {
         return TableValue(
             ratio(static_cast<double>(s.sums.transfer_bytes), static_cast<double>(s.sums.transfers)));
       }},
      {{"dma_queue_count", kInteger, "", "queues of the program"},
       [](const Source& s) { return whole(s.program.queues.size()); }},
  };
  return kColumns;
}

template <DescriptorMode kMode>
void add_mode_columns(const std::array<const char*, 4>& names, std::vector<Column>& columns) {
  static constexpr auto kSums = [](const Source& s) -> const DmaSums& {
    return s.sums.by_mode[static_cast<std::size_t>(kMode)];
  };
  columns.push_back({{names[0], kReal, "seconds", "at least one of their transfers moving"},
                     [](const Source& s) { return seconds(kSums(s).active.time()); }});
  columns.push_back({{names[1], kReal, "percent", "of total_time"},
                     [](const Source& s) { return time_percent(kSums(s).active.time(), s); }});
  columns.push_back({{names[2], kInteger, "bytes", "of their transfers"},
                     [](const Source& s) { return whole(kSums(s).bytes); }});
  columns.push_back({{names[3], kReal, "percent", "of dma_transfer_total_bytes"}, [](const Source& s) {
                       return percent(static_cast<double>(kSums(s).bytes),
                                      static_cast<double>(s.sums.transfer_bytes));
                     }});
}

template <Engine kEngine>
void add_engine_columns(const std::array<const char*, 4>& names, std::vector<Column>& columns) {
  static constexpr auto kSums = [](const Source& s) -> const EngineSums& {
    return s.sums.engines[index_of(kEngine)];
  };
  columns.push_back({{names[0], kReal, "seconds", "of all its instructions, overlapping ones added"},
                     [](const Source& s) { return seconds(kSums(s).instruction_time); }});
  columns.push_back(
      {{names[1], kReal, "seconds", "at least one instruction between its issue and its result"},
       [](const Source& s) { return seconds(kSums(s).active); }});
  columns.push_back({{names[2], kReal, "percent", "of total_time"},
                     [](const Source& s) { return time_percent(kSums(s).active, s); }});
  columns.push_back({{names[3], kInteger, "", "instructions, control included"},
                     [](const Source& s) { return whole(kSums(s).instructions); }});
}

const std::vector<Column>& collective_columns() {
  static const std::vector<Column> kColumns{
      {{"cc_op_time", kReal, "seconds", "of the rank's collectives, overlapping ones added; on core 0's row"},
       [](const Source& s) { return seconds(s.core == 0 ? s.collectives.time : Picoseconds(0)); }},
      {{"cc_op_active_time", kReal, "seconds", "at least one collective of the rank; on core 0's row"},
       [](const Source& s) { return seconds(s.core == 0 ? s.collectives.active.time() : Picoseconds(0)); }},
      {{"cc_op_active_time_percent", kReal, "percent", "of total_time"},
       [](const Source& s) {
         return time_percent(s.core == 0 ? s.collectives.active.time() : Picoseconds(0), s);
       }},
      {{"cc_op_count", kInteger, "", "the rank's collectives; on core 0's row"},
       [](const Source& s) { return whole(s.core == 0 ? s.collectives.count : 0); }},
      {{"trnsim_rank", kInteger, "", "the rank"}, [](const Source& s) { return whole(s.rank); }},
      {{"trnsim_pcore_idx", kInteger, "", "physical core of the rank: 0, or 1 of an LNC=2 pair"},
       [](const Source& s) { return whole(s.core); }},
      {{"trnsim_time_ps", kInteger, "picoseconds", "total_time, not rounded"},
       [](const Source& s) { return whole(s.time.count()); }},
  };
  return kColumns;
}

std::vector<Column> all_columns() {
  std::vector<Column> columns = work_columns();
  columns.insert(columns.end(), dma_columns().begin(), dma_columns().end());
  add_mode_columns<DescriptorMode::kStatic>({"static_dma_active_time", "static_dma_active_time_percent",
                                             "static_dma_size", "static_dma_size_percent"},
                                            columns);
  add_mode_columns<DescriptorMode::kSoftware>(
      {"software_dynamic_dma_active_time", "software_dynamic_dma_active_time_percent",
       "software_dynamic_dma_size", "software_dynamic_dma_size_percent"},
      columns);
  add_mode_columns<DescriptorMode::kHardware>(
      {"hardware_dynamic_dma_active_time", "hardware_dynamic_dma_active_time_percent",
       "hardware_dynamic_dma_size", "hardware_dynamic_dma_size_percent"},
      columns);
  add_engine_columns<Engine::kTensor>(
      {"tensor_engine_instruction_time", "tensor_engine_active_time", "tensor_engine_active_time_percent",
       "tensor_engine_instruction_count"},
      columns);
  add_engine_columns<Engine::kVector>(
      {"vector_engine_instruction_time", "vector_engine_active_time", "vector_engine_active_time_percent",
       "vector_engine_instruction_count"},
      columns);
  add_engine_columns<Engine::kScalar>(
      {"scalar_engine_instruction_time", "scalar_engine_active_time", "scalar_engine_active_time_percent",
       "scalar_engine_instruction_count"},
      columns);
  add_engine_columns<Engine::kGpSimd>(
      {"gpsimd_engine_instruction_time", "gpsimd_engine_active_time", "gpsimd_engine_active_time_percent",
       "gpsimd_engine_instruction_count"},
      columns);
  add_engine_columns<Engine::kSync>({"sync_engine_instruction_time", "sync_engine_active_time",
                                     "sync_engine_active_time_percent", "sync_engine_instruction_count"},
                                    columns);
  columns.insert(columns.end(), collective_columns().begin(), collective_columns().end());
  return columns;
}

const std::vector<Column>& columns() {
  static const std::vector<Column> kColumns = all_columns();
  return kColumns;
}

}  // namespace

const TableSpec& summary_table() {
  static const TableSpec kTable =
      spec_of("Summary", "The whole run, whatever the window: one row a physical core of a rank.", columns());
  return kTable;
}

void summary_row(const SummarySource& source, TableRow& row) { fill_row(columns(), source, row); }

}  // namespace trn
