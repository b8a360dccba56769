#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "base/error.h"
#include "traces/trace.pb.h"
#include "traces/trace_file.h"
#include "traces/trace_format.h"

namespace trn {
namespace {

std::uint32_t numbered(std::uint8_t reg) { return reg == kNoRegister ? 0 : reg + 1u; }

void fill(const AccessPattern& from, trace::Pattern& to) {
  to.set_tensor(from.tensor);
  to.set_rows(from.rows);
  to.set_row(from.row);
  to.set_offset(from.offset);
  to.set_register_(numbered(from.reg));
  for (std::uint32_t d = 0; d < from.dim_count; ++d) {
    to.add_steps(from.dims[d].step);
    to.add_nums(from.dims[d].num);
  }
}

void fill(const ControlOperands& from, trace::Control& to) {
  to.set_register_(numbered(from.reg));
  if (from.semaphore != kNoSemaphore) to.set_semaphore(from.semaphore + 1u);
  for (const Scalar& scalar : from.scalars) {
    trace::Scalar& s = *to.add_scalars();
    s.set_register_(numbered(scalar.reg));
    s.set_value(scalar.value);
  }
  to.set_jump(from.jump);
}

void fill(const Instruction& from, trace::Instruction& to) {
  to.set_opcode(static_cast<std::uint32_t>(from.opcode));
  to.set_flags(
      (from.accumulate ? trace_format::kAccumulate : 0) | (from.double_row ? trace_format::kDoubleRow : 0) |
      (from.post.when == PostTime::kRead ? trace_format::kPostAtRead : 0) |
      (from.post.sibling ? trace_format::kPostSibling : 0) | (from.reverse0 ? trace_format::kReverse0 : 0) |
      (from.reverse1 ? trace_format::kReverse1 : 0) | (from.sparse ? trace_format::kSparse : 0));
  to.set_kind(from.kind);
  to.set_row_reduce(static_cast<std::uint32_t>(from.row_reduce));
  to.set_reduce_op(static_cast<std::uint32_t>(from.reduce_op));
  to.set_table(from.table);
  const std::uint32_t tile[] = {from.tile.row, from.tile.column, from.tile.rows, from.tile.columns};
  to.set_tile(tile[0] | tile[1] << 8u | tile[2] << 16u | tile[3] << 24u);
  if (takes_destination(info(from.opcode).operands)) fill(from.dst, *to.mutable_dst());
  for (std::size_t s = 0; s < from.source_count; ++s) fill(from.src[s], *to.add_src());
  if (!(from.control == ControlOperands())) fill(from.control, *to.mutable_control());
  to.set_op0(static_cast<std::uint32_t>(from.op0));
  to.set_op1(static_cast<std::uint32_t>(from.op1));
  to.set_fn(static_cast<std::uint32_t>(from.fn));
  to.set_imm0(from.imm0);
  to.set_imm1(from.imm1);
  to.set_queue(from.queue);
  to.set_collective(from.collective);
  to.set_region(from.region);
  if (from.wait.semaphore != kNoSemaphore) {
    to.set_wait_semaphore(from.wait.semaphore + 1u);
    to.set_wait_value(from.wait.value);
    to.set_wait_register(numbered(from.wait.reg));
  }
  if (from.post.semaphore != kNoSemaphore) {
    to.set_post_semaphore(from.post.semaphore + 1u);
    to.set_post_increment(from.post.increment);
  }
  for (const AffineTerm& term : from.affine) {
    trace::Term& t = *to.add_affine();
    t.set_field(static_cast<std::uint32_t>(term.field));
    t.set_loop(term.loop);
    t.set_coefficient(term.coefficient);
  }
}

void fill(const Node& from, trace::Node& to) {
  to.set_repeat(from.repeat);
  if (!from.is_loop()) fill(from.instruction, *to.mutable_instruction());
  for (const Node& child : from.body) fill(child, *to.add_body());
}

void fill(const Program& from, trace::Declarations& to) {
  to.set_version(trace_format::kVersion);
  to.set_name(from.name);
  to.set_target(from.target);
  for (const TensorDecl& t : from.tensors) {
    trace::Tensor& tensor = *to.add_tensors();
    tensor.set_name(t.name);
    tensor.set_space(static_cast<std::uint32_t>(t.space));
    tensor.set_dtype(static_cast<std::uint32_t>(t.dtype));
    for (const std::uint64_t dim : t.dims) tensor.add_dims(dim);
    tensor.set_address(t.address);
    tensor.set_stack(t.stack);
  }
  for (const QueueDecl& q : from.queues) {
    trace::Queue& queue = *to.add_queues();
    queue.set_name(q.name);
    queue.set_engine(static_cast<std::uint32_t>(q.engine));
    queue.set_mode(static_cast<std::uint32_t>(q.mode));
    queue.set_priority(q.priority);
  }
  for (const std::string& name : from.semaphores) to.add_semaphores(name);
  for (const CollectiveDecl& c : from.collectives) {
    trace::Collective& collective = *to.add_collectives();
    collective.set_op(static_cast<std::uint32_t>(c.op));
    collective.set_axis(c.axis);
    collective.set_bytes(c.bytes);
    collective.set_dtype(static_cast<std::uint32_t>(c.dtype));
    collective.set_stream(c.stream);
    collective.set_priority(c.priority);
  }
  for (const TableDecl& t : from.tables) {
    trace::Table& table = *to.add_tables();
    table.set_name(t.name);
    for (const std::int64_t value : t.values) table.add_values(value);
  }
  for (const std::string& name : from.regions) to.add_regions(name);
  to.set_model_flops(from.model_flops);
  for (const Golden& g : from.goldens) {
    trace::Golden& golden = *to.add_goldens();
    golden.set_tensor(g.tensor);
    golden.set_expression(g.expression);
  }
  to.set_golden_tolerance(from.golden_tolerance);
  to.set_cores(static_cast<std::uint32_t>(from.cores.size()));
}

}  // namespace

std::string write_trace(const Program& program) {
  std::string bytes = trace_format::kMagic;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream out(&stream);
  std::uint64_t chunks = 0;
  const auto put = [&](const trace::Chunk& chunk) {
    out.WriteVarint32(static_cast<std::uint32_t>(chunk.ByteSizeLong()));
    TRN_CHECK(chunk.SerializeToCodedStream(&out), "a trace chunk was not written");
    ++chunks;
  };
  trace::Chunk chunk;
  fill(program, *chunk.mutable_declarations());
  put(chunk);
  for (std::size_t core = 0; core < program.cores.size(); ++core) {
    for (std::size_t engine = 0; engine < kEngineCount; ++engine) {
      const NodeList& nodes = program.cores[core].streams[engine];
      for (std::size_t begin = 0; begin < nodes.size(); begin += trace_format::kNodesPerChunk) {
        trace::Stream& part = *chunk.mutable_stream();
        part.Clear();
        part.set_core(static_cast<std::uint32_t>(core));
        part.set_engine(static_cast<std::uint32_t>(engine));
        const std::size_t end = std::min(nodes.size(), begin + trace_format::kNodesPerChunk);
        for (std::size_t i = begin; i < end; ++i) fill(nodes[i], *part.add_nodes());
        put(chunk);
      }
    }
  }
  chunk.mutable_end()->set_chunks(chunks);
  put(chunk);
  out.Trim();
  return bytes;
}

}  // namespace trn
