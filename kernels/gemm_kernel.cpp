// The gemm row of the kernel library.
#include "isa/compress.h"
#include "kernels/gemm.h"
#include "kernels/registry.h"

namespace trn {
namespace {

Program build_gemm(const KernelArguments& arguments, const MachineConfig& machine, std::size_t cores) {
  const std::uint64_t m = arguments.positive("m");
  const std::uint64_t k = arguments.positive("k");
  const std::uint64_t n = arguments.positive("n");
  GemmOptions options;
  options.order = static_cast<GemmOrder>(arguments.choice("order", kGemmOrders));
  options.load = static_cast<GemmLoad>(arguments.choice("load", {"row", "tile"}));
  options.m_tiles = arguments.positive("m-tiles");
  options.n_tiles = arguments.positive("n-tiles");
  options.k_tiles = arguments.positive("k-tiles");
  const DType dtype = arguments.dtype("dtype");
  Program program = builder_program(machine, "gemm", cores);
  const HbmTensor a = add_hbm(program, "A", dtype, k, m);
  const HbmTensor b = add_hbm(program, "B", dtype, k, n);
  const GemmOperands x = gemm_operands(a, b, add_hbm(program, "C", dtype, m, n), dtype, dtype);
  program.model_flops = 2 * m * k * n;
  const std::uint64_t share = (m / cores + 127) / 128 * 128;
  for (std::size_t c = 0; c < cores; ++c) {
    CoreBuilder builder(program, machine, c);
    builder.region("gemm");
    gemm(builder, x, options, std::min(m, c * share), c + 1 == cores ? m : std::min(m, (c + 1) * share));
    for (NodeList& stream : program.cores[c].streams) compress(stream);
  }
  return program;
}

Matrices expected_gemm(const KernelArguments&, const Matrices& given) {
  const Matrix& a = given.at("A");
  const Matrix& b = given.at("B");
  Matrix c(a.columns, b.columns);
  for (std::uint64_t k = 0; k < a.rows; ++k)
    for (std::uint64_t m = 0; m < a.columns; ++m)
      for (std::uint64_t n = 0; n < b.columns; ++n) c(m, n) += a(k, m) * b(k, n);
  return {{"C", c}};
}

// Odd shapes, and every order.
std::vector<std::map<std::string, std::string>> cases() {
  std::vector<std::map<std::string, std::string>> out;
  for (const std::string& order : kGemmOrders)
    out.push_back(
        {{"m", "200"}, {"k", "300"}, {"n", "600"}, {"order", order}, {"m-tiles", "2"}, {"k-tiles", "2"}});
  out.push_back({{"m", "130"}, {"k", "256"}, {"n", "64"}, {"dtype", "fp32"}});
  out.push_back({{"m", "128"}, {"k", "513"}, {"n", "512"}, {"dtype", "fp8_e4m3"}, {"order", "stream"}});
  return out;
}

}  // namespace

KernelRow gemm_kernel() {
  return {"gemm",
          "C[M,N] = transpose(A[K,M]) x B[K,N]",
          {{"m", "4096", "rows of C"},
           {"k", "4096", "contraction"},
           {"n", "4096", "columns of C"},
           {"dtype", "bf16", "of A, B and C"},
           {"order", "block_mnk", "inner, hoist_k, block_mn, block_mnk, stream"},
           {"load", "row", "row: whole rows of a block a transfer; tile: one tile a transfer"},
           {"m-tiles", "16", "block size in tiles of 128"},
           {"n-tiles", "2", "block size in tiles of 512"},
           {"k-tiles", "8", "block size in tiles of 128"}},
          build_gemm,
          {cases(), {}, expected_gemm}};
}

}  // namespace trn
