#include "sim/tables/instruction_table.h"

#include "sim/tables/columns.h"

namespace trn {
namespace {

using Source = InstructionSource;
using Column = ColumnOf<Source>;
constexpr ColumnType kInteger = ColumnType::kInteger, kText = ColumnType::kText;

const InstructionEvent& at(const Source& s) { return s.instruction; }
bool on_tensor(const Source& s) { return at(s).engine == Engine::kTensor; }

// The bytes that move where the instruction is a transfer: it also reads what it accumulates to.
TableValue hbm_read(const Source& s) {
  return s.transfer != nullptr ? whole(s.transfer->shape.hbm_read.count())
                               : whole(s.bytes.read_from(Space::kHbm));
}
TableValue hbm_written(const Source& s) {
  return s.transfer != nullptr ? whole(s.transfer->shape.hbm_write.count())
                               : whole(s.bytes.written_to(Space::kHbm));
}

TableValue tensor_type(const Source& s) {
  if (at(s).flops > 0) return text("REGULAR");
  return at(s).instruction.opcode == Opcode::kTranspose && on_tensor(s) ? text("TRANSPOSE") : kUnknown;
}

TableValue adjusted_flops(const Source& s) {
  if (!on_tensor(s)) return kUnknown;
  if (at(s).flops == 0) return whole(0);
  const DType dtype = at(s).program.tensors[at(s).instruction.src[0].tensor].dtype;
  return static_cast<std::int64_t>(static_cast<double>(at(s).flops) *
                                   bf16_equivalents(dtype, s.core_version));
}

// What profiles call it, as far as the ISA's table says (in capitals); else our mnemonic.
TableValue vendor_opcode(const Source& s) {
  const OpcodeInfo& opcode = info(at(s).instruction.opcode);
  const std::string_view name = opcode.vendor;
  const std::size_t open = name.find('('), close = name.find(')');
  const std::string_view inner =
      open == std::string_view::npos ? name : name.substr(open + 1, close - open - 1);
  const bool capitals = inner.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == std::string_view::npos;
  return text(capitals ? inner : opcode.mnemonic);
}

const std::vector<Column>& columns() {
  static const std::vector<Column> kColumns{
      {{"start_ts", kInteger, "nanoseconds", "when it was issued"},
       [](const Source& s) { return timestamp(at(s).start); }},
      {{"end_ts", kInteger, "nanoseconds", "when its result was visible, not before its predecessor's"},
       [](const Source& s) { return timestamp(at(s).complete); }},
      {{"duration_ns", kInteger, "nanoseconds", "end_ts - start_ts"},
       [](const Source& s) { return duration(at(s).start, at(s).complete); }},
      {{"engine", kText, "", "tensor, vector, scalar, gpsimd or sync"},
       [](const Source& s) { return TableValue(engine_name(at(s).engine)); }},
      {{"pcore_idx", kInteger, "", "physical core of the rank: 0, or 1 of an LNC=2 pair"},
       [](const Source& s) { return whole(at(s).core); }},
      {{"opcode", kText, "",
        "as profiles name it where we know that (MATMUL, LDWEIGHTS, EVENT_SEMAPHORE ...), "
        "else our mnemonic"},
       vendor_opcode},
      {{"id", kInteger, "", "unique in the table"}, [](const Source& s) { return TableValue(s.id); }},
      {{"pc", kInteger, "", "number on its engine, loops unrolled"},
       [](const Source& s) { return whole(at(s).number); }},
      {{"evt_wait_time_ns", kInteger, "nanoseconds",
        "for which only a semaphore, or a full DMA queue, held it up"},
       [](const Source& s) { return whole(at(s).waited.count() / 1000); }},
      {{"layer", kText, "", "its region"},
       [](const Source& s) { return text(at(s).program.regions[at(s).instruction.region]); }},
      {{"dma_trigger_start_ts", kInteger, "nanoseconds", "first byte of the transfer that it triggered"},
       [](const Source& s) { return s.transfer == nullptr ? kUnknown : timestamp(s.transfer->started); }},
      {{"dma_trigger_end_ts", kInteger, "nanoseconds", "last byte of the transfer that it triggered"},
       [](const Source& s) { return s.transfer == nullptr ? kUnknown : timestamp(s.transfer->done); }},
      {{"dma_wait_time_ns", kInteger, "nanoseconds", "from its own end to that transfer's first byte"},
       [](const Source& s) {
         return s.transfer == nullptr ? kUnknown : duration(at(s).complete, s.transfer->started);
       }},
      {{"hbm_read_bytes", kInteger, "bytes", "from HBM, by the transfer that it triggered"}, hbm_read},
      {{"hbm_write_bytes", kInteger, "bytes", "to HBM, by the transfer that it triggered"}, hbm_written},
      {{"sbuf_read_bytes", kInteger, "bytes", "operands in SBUF"},
       [](const Source& s) { return whole(s.bytes.read_from(Space::kSbuf)); }},
      {{"sbuf_write_bytes", kInteger, "bytes", "results in SBUF"},
       [](const Source& s) { return whole(s.bytes.written_to(Space::kSbuf)); }},
      {{"psum_read_bytes", kInteger, "bytes", "operands in PSUM; what a matmul adds to does not count"},
       [](const Source& s) { return whole(s.bytes.read_from(Space::kPsum)); }},
      {{"psum_write_bytes", kInteger, "bytes", "results in PSUM"},
       [](const Source& s) { return whole(s.bytes.written_to(Space::kPsum)); }},
      {{"psum_read_sbuf_write_bytes", kInteger, "bytes", "read from PSUM by an instruction that writes SBUF"},
       [](const Source& s) {
         return s.bytes.written_to(Space::kSbuf) > 0 ? whole(s.bytes.read_from(Space::kPsum)) : whole(0);
       }},
      {{"tensor_instruction_type", kText, "", "REGULAR (matmul) or TRANSPOSE"}, tensor_type},
      {{"raw_flops", kInteger, "", "of the array; a multiply-add is 2, a transpose 0"},
       [](const Source& s) { return on_tensor(s) ? whole(at(s).flops) : kUnknown; }},
      {{"adjusted_flops", kInteger, "",
        "as BF16: FP32 x4; FP8 x1 on Trn1 and Inf2, else x0.5; UINT8 x0.5; MX x0.25"},
       adjusted_flops},
      {{"scalar_activation_fn", kText, "", "of an ACT"},
       [](const Source& s) {
         return at(s).instruction.opcode == Opcode::kActivation ? text(info(at(s).instruction.fn).name)
                                                                : kUnknown;
       }},
      {{"trnsim_rank", kInteger, "", "the rank"}, [](const Source& s) { return whole(at(s).rank); }},
      {{"trnsim_mnemonic", kText, "", "our name of the opcode"},
       [](const Source& s) { return text(info(at(s).instruction.opcode).mnemonic); }},
      {{"trnsim_start_ps", kInteger, "picoseconds", "start_ts, not rounded"},
       [](const Source& s) { return whole(at(s).start.count()); }},
      {{"trnsim_read_ps", kInteger, "picoseconds", "operands consumed: its unit is free for the next one"},
       [](const Source& s) { return whole(at(s).read.count()); }},
      {{"trnsim_end_ps", kInteger, "picoseconds", "end_ts, not rounded"},
       [](const Source& s) { return whole(at(s).complete.count()); }},
      {{"trnsim_wait_ps", kInteger, "picoseconds", "evt_wait_time_ns, not rounded"},
       [](const Source& s) { return whole(at(s).waited.count()); }},
      {{"trnsim_limited_ps", kInteger, "picoseconds", "added by the current limiter"},
       [](const Source& s) { return whole(at(s).limited.count()); }},
      {{"trnsim_dma_id", kInteger, "", "DmaPacketAggregated.id of the transfer that it triggered"},
       [](const Source& s) { return s.transfer == nullptr ? kUnknown : whole(at(s).triggers); }},
  };
  return kColumns;
}

}  // namespace

const TableSpec& instruction_table() {
  static const TableSpec kTable =
      spec_of("Instruction", "Instructions that the sequencers issued.", columns());
  return kTable;
}

void instruction_row(const InstructionSource& source, TableRow& row) { fill_row(columns(), source, row); }

}  // namespace trn
