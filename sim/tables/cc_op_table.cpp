#include "sim/tables/cc_op_table.h"

#include <algorithm>
#include <array>
#include <optional>

#include "models/interconnect/collectives/bounds/bounds.h"
#include "sim/tables/columns.h"

namespace trn {
namespace {

using Source = CcOpSource;
using Column = ColumnOf<Source>;
constexpr ColumnType kInteger = ColumnType::kInteger, kReal = ColumnType::kReal, kText = ColumnType::kText;

// By CollectiveOp.
constexpr std::array<const char*, kCollectiveOps.size()> kVendorNames{
    "AllReduce", "AllGather", "ReduceScatter", "AllToAll", "Broadcast", "Reduce",
    "Gather",    "Scatter",   "Permute",       "SendRecv", "Barrier"};

// Of one rank, where it is the same on all. `bytes` is nccom-test's size.
struct Sizes {
  std::optional<std::uint64_t> input, output;
};
Sizes sizes(const CollectiveRecord& r) {
  const std::uint64_t bytes = r.decl.bytes, part = bytes / std::max<std::uint64_t>(1, r.ranks);
  switch (r.decl.op) {
    case CollectiveOp::kAllGather:
      return {part, bytes};
    case CollectiveOp::kReduceScatter:
      return {bytes, part};
    case CollectiveOp::kAllReduce:
    case CollectiveOp::kAllToAll:
    case CollectiveOp::kPermute:
      return {bytes, bytes};
    default:
      return {};
  }
}

TableValue size(std::optional<std::uint64_t> bytes) { return bytes ? whole(*bytes) : kUnknown; }
Picoseconds time(const Source& s) { return s.record.done - s.record.started; }

std::optional<double> algorithm_bandwidth(const Source& s) {
  const Sizes z = sizes(s.record);
  if (!z.input || !z.output || time(s).count() == 0) return std::nullopt;
  return per_second(static_cast<double>(std::max(*z.input, *z.output)), time(s));
}

const std::vector<Column>& columns() {
  static const std::vector<Column> kColumns{
      {{"start_ts", kInteger, "nanoseconds", "its CC-cores start: all ranks have triggered it"},
       [](const Source& s) { return timestamp(s.record.started); }},
      {{"end_ts", kInteger, "nanoseconds", "its last byte has arrived anywhere"},
       [](const Source& s) { return timestamp(s.record.done); }},
      {{"duration_ns", kInteger, "nanoseconds", "end_ts - start_ts"},
       [](const Source& s) { return duration(s.record.started, s.record.done); }},
      {{"operation", kText, "", "AllReduce, AllGather ..."},
       [](const Source& s) { return text(kVendorNames[static_cast<std::size_t>(s.record.decl.op)]); }},
      {{"algorithm", kText, "", "our name: trnsim collective --help"},
       [](const Source& s) { return text(s.record.algorithm); }},
      {{"num_elements", kInteger, "", "nccom-test's size in elements"},
       [](const Source& s) { return whole(s.record.decl.bytes / size_of(s.record.decl.dtype)); }},
      {{"dtype", kText, "", "our name"},
       [](const Source& s) { return text(info(s.record.decl.dtype).name); }},
      {{"op_id", kInteger, "", "unique in the table"}, [](const Source& s) { return TableValue(s.id); }},
      {{"stream_id", kInteger, "", "as stream_index"},
       [](const Source& s) { return whole(s.record.decl.stream); }},
      {{"stream_index", kInteger, "", "stream in the program"},
       [](const Source& s) { return whole(s.record.decl.stream); }},
      {{"input_size", kInteger, "bytes", "of one rank; not known of operations with a root"},
       [](const Source& s) { return size(sizes(s.record).input); }},
      {{"output_size", kInteger, "bytes", "of one rank; not known of operations with a root"},
       [](const Source& s) { return size(sizes(s.record).output); }},
      {{"algorithm_bandwidth", kReal, "bytes_per_second", "the larger size over the time, not rounded"},
       [](const Source& s) {
         const std::optional<double> rate = algorithm_bandwidth(s);
         return rate ? TableValue(*rate) : kUnknown;
       }},
      {{"bus_bandwidth", kReal, "bytes_per_second", "times nccom-test's factor of the operation"},
       [](const Source& s) {
         const std::optional<double> rate = algorithm_bandwidth(s);
         return rate ? TableValue(*rate * busbw_factor(s.record.decl.op, s.record.ranks)) : kUnknown;
       }},
      {{"trigger_start_ts", kInteger, "nanoseconds", "when this rank triggered it"},
       [](const Source& s) { return timestamp(s.record.issued); }},
      {{"cc_trigger_start_delay", kInteger, "nanoseconds",
        "from there to start_ts: the stream's predecessors, and other ranks"},
       [](const Source& s) { return duration(s.record.issued, s.record.started); }},
      {{"replica_group", kText, "", "its ranks; only where every rank is simulated"},
       [](const Source& s) {
         return s.record.members.empty() ? kUnknown : TableValue("[[" + s.record.members + "]]");
       }},
      {{"trnsim_rank", kInteger, "", "the rank"}, [](const Source& s) { return whole(s.record.rank); }},
      {{"trnsim_axis", kText, "", "its mesh axis"}, [](const Source& s) { return text(s.record.decl.axis); }},
      {{"trnsim_ranks", kInteger, "", "ranks of its group"},
       [](const Source& s) { return whole(s.record.ranks); }},
      {{"trnsim_bytes", kInteger, "bytes", "nccom-test's size"},
       [](const Source& s) { return whole(s.record.decl.bytes); }},
      {{"trnsim_start_ps", kInteger, "picoseconds", "start_ts, not rounded"},
       [](const Source& s) { return whole(s.record.started.count()); }},
      {{"trnsim_end_ps", kInteger, "picoseconds", "end_ts, not rounded"},
       [](const Source& s) { return whole(s.record.done.count()); }},
  };
  return kColumns;
}

}  // namespace

const TableSpec& cc_op_table() {
  static const TableSpec kTable = spec_of("CcOp", "Collectives, once for each rank.", columns());
  return kTable;
}

void cc_op_row(const CcOpSource& source, TableRow& row) { fill_row(columns(), source, row); }

}  // namespace trn
