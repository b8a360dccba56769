#include <algorithm>

#include "sim/tables/columns.h"
#include "sim/tables/summary_table.h"

namespace trn {
namespace {

using Source = SummarySource;
using Column = ColumnOf<Source>;
constexpr ColumnType kInteger = ColumnType::kInteger, kReal = ColumnType::kReal, kText = ColumnType::kText;

constexpr const char* kSchema = "7.4.0";  // whose names and units the tables have

TableValue gigahertz(Clock clock) { return static_cast<double>(clock.frequency.count()) * 1e-3; }
TableValue bytes_per_second(MegabytesPerSecond rate) { return static_cast<double>(rate.count()) * 1e6; }
TableValue partitions(const Source& s) { return whole(s.machine.core.sbuf.partitions); }

const std::vector<Column>& columns() {
  static const std::vector<Column> kColumns{
      {{"profile_schema_version", kText, "", "of the schema whose names and units the tables have"},
       [](const Source&) { return text(kSchema); }},
      {{"num_physical_cores", kInteger, "", "of the rank"}, [](const Source& s) { return whole(s.cores); }},
      {{"vnc_enabled", kInteger, "", "1: the rank has several physical cores"},
       [](const Source& s) { return whole(s.cores > 1 ? 1 : 0); }},
      {{"first_hw_timestamp", kInteger, "nanoseconds", "0: time begins with the run"},
       [](const Source&) { return whole(0); }},
      {{"last_hw_timestamp", kInteger, "nanoseconds", "the rank's end"},
       [](const Source& s) { return timestamp(s.time); }},
      {{"dma_ddr_bandwidth", kReal, "bytes_per_second", "all DMA engines of a physical core"},
       [](const Source& s) {
         const DmaConfig& dma = s.machine.core.dma;
         return TableValue(static_cast<double>(dma.engine_rate.count() * dma.engines) * 1e6);
       }},
      {{"num_dma_engines_per_neuroncore", kInteger, "", "of a physical core"},
       [](const Source& s) { return whole(s.machine.core.dma.engines); }},
      {{"hbm_ddr_bandwidth", kReal, "bytes_per_second", "peak of an HBM stack"},
       [](const Source& s) { return bytes_per_second(s.machine.hbm.stack_rate); }},
      {{"tensor_engine_num_rows", kInteger, "", "of the array"},
       [](const Source& s) { return whole(s.machine.core.tensor.rows); }},
      {{"tensor_engine_num_cols", kInteger, "", "of the array"},
       [](const Source& s) { return whole(s.machine.core.tensor.columns); }},
      {{"tensor_engine_clock_freq", kReal, "gigahertz", "its clock"},
       [](const Source& s) { return gigahertz(s.machine.core.tensor.clock); }},
      {{"vector_engine_clock_freq", kReal, "gigahertz", "its clock"},
       [](const Source& s) { return gigahertz(s.machine.core.vector.clock); }},
      {{"vector_engine_num_channels", kInteger, "", "partitions"}, partitions},
      {{"scalar_engine_clock_freq", kReal, "gigahertz", "its clock"},
       [](const Source& s) { return gigahertz(s.machine.core.scalar.clock); }},
      {{"scalar_engine_num_channels", kInteger, "", "partitions"}, partitions},
      {{"gpsimd_engine_clock_freq", kReal, "gigahertz", "its clock"},
       [](const Source& s) { return gigahertz(s.machine.core.gpsimd.clock); }},
      {{"gpsimd_engine_num_channels", kInteger, "", "partitions"}, partitions},
      {{"ticks_per_nanosec", kInteger, "", "1000: the simulator counts picoseconds"},
       [](const Source&) { return whole(1000); }},
      {{"is_simulation", kInteger, "", "1: nothing of this was measured"},
       [](const Source&) { return whole(1); }},
      {{"trnsim_rank", kInteger, "", "the rank"}, [](const Source& s) { return whole(s.rank); }},
      {{"trnsim_machine", kText, "", "machine and shape"},
       [](const Source& s) { return TableValue(s.machine.name + ':' + s.machine.shape); }},
      {{"trnsim_program", kText, "", "name of the rank's program"},
       [](const Source& s) { return text(s.program.name); }},
  };
  return kColumns;
}

}  // namespace

const TableSpec& metadata_table() {
  static const TableSpec kTable = spec_of("Metadata", "The machine, one row a rank.", columns());
  return kTable;
}

void metadata_row(const SummarySource& source, TableRow& row) { fill_row(columns(), source, row); }

}  // namespace trn
