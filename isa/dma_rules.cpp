#include "isa/dma_rules.h"

namespace trn {
namespace {

std::uint64_t elements(const AccessPattern& p) { return p.elements_per_row() * p.rows; }

// Only software descriptors reach rows by number: Neuron's hardware generation has no gather or scatter, and
// static descriptors hold fixed addresses.
std::string indirect_problem(const Instruction& dma, const Program& program, DmaKind kind) {
  const QueueDecl& queue = program.queues[dma.queue];
  if (dma.source_count < 2) return "takes the row numbers as second source";
  if (queue.mode != DescriptorMode::kSoftware)
    return "queue " + queue.name +
           " has dge=" + std::string(kDescriptorModes[static_cast<std::size_t>(queue.mode)]) +
           "; rows by number need software descriptors: a .queue with engine=POOL dge=sw";
  const TensorDecl& indices = program.tensors[dma.src[1].tensor];
  if (indices.dtype != DType::kInt32 && indices.dtype != DType::kUint32)
    return "row numbers are int32 or uint32, found " + std::string(info(indices.dtype).name);
  const std::uint64_t rows = kind == DmaKind::kGather ? dma.src[0].rows : dma.dst.rows;
  if (elements(dma.src[1]) != rows || dma.src[0].rows != dma.dst.rows)
    return std::to_string(elements(dma.src[1])) + " row numbers for " + std::to_string(dma.src[0].rows) +
           " rows into " + std::to_string(dma.dst.rows) + "; one number a row";
  return "";
}

std::string duplicate_problem(const Instruction& dma, const Program& program) {
  if (dma.source_count < 2) return "takes the second destination as its last operand";
  const DType first = program.tensors[dma.dst.tensor].dtype;
  const DType second = program.tensors[dma.src[1].tensor].dtype;
  if (first != second)
    return "writes the same bytes twice: destinations of " + std::string(info(first).name) + " and " +
           std::string(info(second).name);
  if (elements(dma.dst) != elements(dma.src[1]))
    return "destinations of " + std::to_string(elements(dma.dst)) + " and " +
           std::to_string(elements(dma.src[1])) + " elements";
  return "";
}

std::string transpose_problem(const Instruction& dma, const Program& program) {
  const std::uint32_t width = size_of(program.tensors[dma.src[0].tensor].dtype);
  if (width != 2 && width != 4)
    return "transposes elements of 2 or 4 bytes, found " +
           std::string(info(program.tensors[dma.src[0].tensor].dtype).name) + "; use TRP";
  if (dma.dst.rows != dma.src[0].elements_per_row())
    return "transposes " + std::to_string(dma.src[0].elements_per_row()) + " columns into " +
           std::to_string(dma.dst.rows) + " rows; they must be as many";
  return "";
}

}  // namespace

std::string dma_problem(const Instruction& dma, const Program& program) {
  const auto kind = static_cast<DmaKind>(dma.kind);
  const auto named = [&](const std::string& problem) {
    return problem.empty() ? "" : std::string(info(Opcode::kDma).kinds[dma.kind]) + ": " + problem;
  };
  switch (kind) {
    case DmaKind::kGather:
    case DmaKind::kScatter:
      return named(indirect_problem(dma, program, kind));
    case DmaKind::kDuplicate:
      return named(duplicate_problem(dma, program));
    case DmaKind::kTranspose:
      if (dma.source_count > 1) break;
      return named(transpose_problem(dma, program));
    default:
      break;
  }
  return dma.source_count > 1 ? named("takes one source") : "";
}

}  // namespace trn
