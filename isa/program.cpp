#include "isa/program.h"

#include "base/error.h"

namespace trn {

std::uint64_t TensorDecl::row_elements() const {
  std::uint64_t elements = 1;
  for (std::size_t i = 1; i < dims.size(); ++i) elements *= dims[i];
  return elements;
}

bool TensorDecl::operator==(const TensorDecl& o) const {
  return name == o.name && space == o.space && dtype == o.dtype && dims == o.dims && address == o.address &&
         stack == o.stack;
}

bool QueueDecl::operator==(const QueueDecl& o) const {
  return name == o.name && engine == o.engine && mode == o.mode && priority == o.priority;
}

bool CollectiveDecl::operator==(const CollectiveDecl& o) const {
  return op == o.op && axis == o.axis && bytes == o.bytes && dtype == o.dtype && stream == o.stream &&
         priority == o.priority;
}

std::uint64_t AccessPattern::elements_per_row() const {
  std::uint64_t elements = 1;
  for (std::uint32_t d = 0; d < dim_count; ++d) elements *= dims[d].num;
  return elements;
}

bool AccessPattern::operator==(const AccessPattern& o) const {
  return tensor == o.tensor && rows == o.rows && row == o.row && offset == o.offset &&
         dim_count == o.dim_count && dims == o.dims && reg == o.reg;
}

std::int64_t& Instruction::field(Field f) {
  switch (f) {
    case Field::kDstRow:
      return dst.row;
    case Field::kDstOffset:
      return dst.offset;
    case Field::kSrc0Row:
      return src[0].row;
    case Field::kSrc0Offset:
      return src[0].offset;
    case Field::kSrc1Row:
      return src[1].row;
    case Field::kSrc1Offset:
      return src[1].offset;
    case Field::kSrc2Row:
      return src[2].row;
    case Field::kSrc2Offset:
      return src[2].offset;
    case Field::kWaitValue:
      break;
  }
  return wait.value;
}

bool Instruction::operator==(const Instruction& o) const {
  return same_form(o) && dst == o.dst && src == o.src && wait == o.wait && affine == o.affine;
}

bool Instruction::same_form(const Instruction& o) const {
  return opcode == o.opcode && kind == o.kind && source_count == o.source_count && op0 == o.op0 &&
         op1 == o.op1 && fn == o.fn && row_reduce == o.row_reduce && reduce_op == o.reduce_op &&
         reverse0 == o.reverse0 && reverse1 == o.reverse1 && accumulate == o.accumulate &&
         double_row == o.double_row && sparse == o.sparse && tile == o.tile && imm0 == o.imm0 &&
         imm1 == o.imm1 && queue == o.queue && collective == o.collective && table == o.table &&
         region == o.region && control == o.control && post == o.post;
}

bool Instruction::dynamic() const {
  bool found = takes_destination(info(opcode).operands) && dst.dynamic();
  for (std::size_t s = 0; s < source_count; ++s) found = found || src[s].dynamic();
  return found;
}

bool Program::operator==(const Program& o) const {
  return name == o.name && target == o.target && tensors == o.tensors && queues == o.queues &&
         semaphores == o.semaphores && collectives == o.collectives && tables == o.tables &&
         regions == o.regions && cores == o.cores && model_flops == o.model_flops && goldens == o.goldens &&
         golden_tolerance == o.golden_tolerance;
}

std::uint64_t dynamic_count(const NodeList& nodes) {
  std::uint64_t count = 0;
  for (const Node& node : nodes) count += node.is_loop() ? node.repeat * dynamic_count(node.body) : 1;
  return count;
}

namespace {

// False: jumps decide.
bool add_posts(const NodeList& nodes, std::uint64_t times, std::uint16_t semaphore, bool to_sibling,
               std::uint64_t& total) {
  for (const Node& node : nodes) {
    const Instruction& i = node.instruction;
    if (node.is_loop()) {
      if (!add_posts(node.body, times * node.repeat, semaphore, to_sibling, total)) return false;
    } else if (info(i.opcode).jumps) {
      return false;
    } else if (i.post.semaphore == semaphore &&
               (i.post.sibling == to_sibling || i.opcode == Opcode::kCollective)) {  // which posts to both
      total += times * i.post.increment;
    }
  }
  return true;
}

}  // namespace

std::optional<std::uint64_t> total_posts(const Program& program, std::uint32_t core,
                                         std::uint16_t semaphore) {
  std::uint64_t total = 0;
  for (std::uint32_t c = 0; c < program.cores.size(); ++c)
    for (const NodeList& stream : program.cores[c].streams)
      if (!add_posts(stream, 1, semaphore, c != core, total)) return std::nullopt;
  return total;
}

namespace {

void expand_into(const NodeList& nodes, std::vector<std::uint64_t>& indices, NodeList& out) {
  for (const Node& node : nodes) {
    if (node.is_loop()) {
      indices.push_back(0);
      for (std::uint64_t i = 0; i < node.repeat; ++i) {
        indices.back() = i;
        expand_into(node.body, indices, out);
      }
      indices.pop_back();
    } else {
      out.push_back(node);
      Instruction& instruction = out.back().instruction;
      for (const AffineTerm& term : node.instruction.affine)
        instruction.field(term.field) += term.coefficient * static_cast<std::int64_t>(indices[term.loop]);
      instruction.affine.clear();
    }
  }
}

}  // namespace

NodeList expand(const NodeList& nodes, std::uint64_t limit) {
  TRN_CHECK(dynamic_count(nodes) <= limit, "stream too long to unroll");
  NodeList out;
  std::vector<std::uint64_t> indices;
  expand_into(nodes, indices, out);
  return out;
}

}  // namespace trn
