#include "sim/tables/dma_table.h"

#include "sim/tables/columns.h"

namespace trn {
namespace {

using Source = TransferEvent;
using Column = ColumnOf<Source>;
constexpr ColumnType kInteger = ColumnType::kInteger, kReal = ColumnType::kReal, kText = ColumnType::kText;

const Instruction& dma(const Source& s) { return s.trigger.instruction; }
const QueueDecl& queue(const Source& s) { return s.trigger.program.queues[dma(s).queue]; }
const TensorDecl& tensor(const Source& s, const AccessPattern& p) {
  return s.trigger.program.tensors[p.tensor];
}
bool transposes(const Source& s) { return dma(s).kind == static_cast<std::uint8_t>(DmaKind::kTranspose); }

std::string place(const TensorDecl& tensor) {
  return tensor.space == Space::kHbm ? "[DRAM]" : tensor.space == Space::kSbuf ? "[SB]" : "[PSUM]";
}
TableValue shape(const AccessPattern& p) {
  return '[' + std::to_string(p.rows) + ", " + std::to_string(p.elements_per_row()) + ']';
}
TableValue partitions(const Source& s, const AccessPattern& p) {
  return whole(tensor(s, p).space == Space::kSbuf ? p.rows : 0);
}

// All operands of a direction; what it accumulates to is read as well.
std::uint64_t bytes(const Source& s, bool written) {
  std::uint64_t sum = 0;
  const auto size = [&](const AccessPattern& p) {
    return p.rows * p.elements_per_row() * size_of(tensor(s, p).dtype);
  };
  each_operand(dma(s), [&](const AccessPattern& p, bool result) { sum += result == written ? size(p) : 0; });
  const bool accumulates = dma(s).kind == static_cast<std::uint8_t>(DmaKind::kAccumulate);
  return sum + (accumulates && !written ? size(dma(s).dst) : 0);
}

// The tensor in HBM, which has a name of its own; else the destination.
TableValue variable(const Source& s) {
  const TensorDecl& from = tensor(s, dma(s).src[0]);
  return from.space == Space::kHbm ? from.name : tensor(s, dma(s).dst).name;
}

const std::vector<Column>& columns() {
  static const std::vector<Column> kColumns{
      {{"start_ts", kInteger, "nanoseconds", "its first byte moves"},
       [](const Source& s) { return timestamp(s.started); }},
      {{"end_ts", kInteger, "nanoseconds", "its last byte has arrived"},
       [](const Source& s) { return timestamp(s.done); }},
      {{"duration_ns", kInteger, "nanoseconds", "end_ts - start_ts"},
       [](const Source& s) { return duration(s.started, s.done); }},
      {{"id", kInteger, "", "unique in the table"},
       [](const Source& s) { return whole(s.trigger.triggers); }},
      {{"pcore_idx", kInteger, "", "physical core of the rank: 0, or 1 of an LNC=2 pair"},
       [](const Source& s) { return whole(s.trigger.core); }},
      {{"queue_idx", kInteger, "", "number of the queue in the program"},
       [](const Source& s) { return whole(dma(s).queue); }},
      {{"queue_name", kText, "", "the queue in the program"},
       [](const Source& s) { return text(queue(s).name); }},
      {{"queue_type", kText, "", "data (static descriptors), software_dynamic or hardware_dynamic"},
       [](const Source& s) { return TableValue(queue_type(queue(s).mode)); }},
      {{"op", kText, "", "our form of the DMA instruction: copy, transpose, accumulate ..."},
       [](const Source& s) { return text(info(Opcode::kDma).kinds[dma(s).kind]); }},
      {{"variable", kText, "", "the tensor read from HBM, else the one written"}, variable},
      {{"read_bytes", kInteger, "bytes", "of all operands that are read"},
       [](const Source& s) { return whole(bytes(s, false)); }},
      {{"write_bytes", kInteger, "bytes", "of all operands that are written"},
       [](const Source& s) { return whole(bytes(s, true)); }},
      {{"transfer_bytes", kInteger, "bytes",
        "through the DMA engines: the wider side where the dtype is cast"},
       [](const Source& s) { return whole(s.shape.bytes.count()); }},
      {{"throughput", kReal, "bytes_per_second", "transfer_bytes over the time, not rounded"},
       [](const Source& s) {
         return TableValue(per_second(static_cast<double>(s.shape.bytes.count()), s.done - s.started));
       }},
      {{"source", kText, "", "[DRAM] (HBM), [SB] or [PSUM]"},
       [](const Source& s) { return TableValue(place(tensor(s, dma(s).src[0]))); }},
      {{"dest", kText, "", "[DRAM] (HBM), [SB] or [PSUM]"},
       [](const Source& s) { return TableValue(place(tensor(s, dma(s).dst))); }},
      {{"semaphore_id", kText, "", "posted to at the end"},
       [](const Source& s) {
         const std::uint16_t semaphore = dma(s).post.semaphore;
         return semaphore == kNoSemaphore ? kUnknown : text(s.trigger.program.semaphores[semaphore]);
       }},
      {{"read_num_sbuf_partitions", kInteger, "", "partitions of SBUF read"},
       [](const Source& s) { return partitions(s, dma(s).src[0]); }},
      {{"read_shape", kText, "", "[rows, elements a row]"},
       [](const Source& s) { return shape(dma(s).src[0]); }},
      {{"write_num_sbuf_partitions", kInteger, "", "partitions of SBUF written"},
       [](const Source& s) { return partitions(s, dma(s).dst); }},
      {{"write_shape", kText, "", "[rows, elements a row]"},
       [](const Source& s) { return shape(dma(s).dst); }},
      {{"is_transpose_mode", kInteger, "", "1: it transposes"},
       [](const Source& s) { return whole(transposes(s) ? 1 : 0); }},
      {{"trigger", kInteger, "nanoseconds", "issue of the instruction that triggered it"},
       [](const Source& s) { return timestamp(s.trigger.start); }},
      {{"completion", kInteger, "nanoseconds", "end of the instruction that triggered it"},
       [](const Source& s) { return timestamp(s.trigger.complete); }},
      {{"trnsim_rank", kInteger, "", "the rank"}, [](const Source& s) { return whole(s.trigger.rank); }},
      {{"trnsim_region", kText, "", "the region of the instruction"},
       [](const Source& s) { return text(s.trigger.program.regions[dma(s).region]); }},
      {{"trnsim_rows", kInteger, "", "contiguous runs, a descriptor element each"},
       [](const Source& s) { return whole(s.shape.rows); }},
      {{"trnsim_hbm_read_bytes", kInteger, "bytes", "read from HBM"},
       [](const Source& s) { return whole(s.shape.hbm_read.count()); }},
      {{"trnsim_hbm_write_bytes", kInteger, "bytes", "written to HBM"},
       [](const Source& s) { return whole(s.shape.hbm_write.count()); }},
      {{"trnsim_start_ps", kInteger, "picoseconds", "start_ts, not rounded"},
       [](const Source& s) { return whole(s.started.count()); }},
      {{"trnsim_end_ps", kInteger, "picoseconds", "end_ts, not rounded"},
       [](const Source& s) { return whole(s.done.count()); }},
  };
  return kColumns;
}

}  // namespace

std::string queue_type(DescriptorMode mode) {
  return mode == DescriptorMode::kStatic     ? "data"
         : mode == DescriptorMode::kHardware ? "hardware_dynamic"
                                             : "software_dynamic";
}

const TableSpec& dma_table() {
  static const TableSpec kTable =
      spec_of("DmaPacketAggregated", "Transfers, from their first byte to their last.", columns());
  return kTable;
}

void dma_row(const TransferEvent& transfer, TableRow& row) { fill_row(columns(), transfer, row); }

}  // namespace trn
