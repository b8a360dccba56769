// Mamba's selective scan: channels on partitions, time along the row.
#include <cmath>

#include "kernels/builder/rank_builder.h"
#include "kernels/registry.h"
#include "kernels/row_block.h"

namespace trn {
namespace {

// h_s[t] = exp(delta[t] A_s) h_s[t-1] + delta[t] u[t] B_s[t]; y[t] = sum over s of h_s[t] C_s[t]. B and C are
// the same for all channels: HBM holds a row of them for each of the 128 partitions, so that one transfer
// spreads them.
struct SelectiveScan {
  CoreBuilder& core;
  Rows delta, u, a, b, c, y;
  std::uint64_t state, sequence;
  bool hoisted;  // delta u once a block instead of once a state

  struct State {
    View decay, push, h, read;
  };

  void run(std::uint64_t begin, std::uint64_t end) {
    TilePool& in = core.sbuf_pool("scan_in", DType::kFp32, sequence, 4);
    TilePool& rates = core.sbuf_pool("scan_rates", DType::kFp32, state, 2);
    TilePool& shared = core.sbuf_pool("scan_shared", DType::kFp32, sequence, 10);
    TilePool& work = core.sbuf_pool("scan_work", DType::kFp32, sequence, 15);
    TilePool& sums = core.sbuf_pool("scan_sum", DType::kFp32, sequence, 2);
    TilePool& drives = core.sbuf_pool("scan_driven", DType::kFp32, sequence, 2);
    Tile& zero = core.sbuf_pool("scan_zero", DType::kFp32, 1, 1).next();
    core.compute(Engine::kVector, Opcode::kFill, View::whole(zero), {});
    for_blocks(core, begin, end, sequence, sequence, [&](const Block& block) {
      const View step = block.load(in, delta), input = block.load(in, u);
      Tile& rate = rates.next();
      block.load(rate, a, 0, state);
      const View total = block.view(sums.next());
      View driven{};
      std::vector<State> states;
      // Four states at different stages, so that no instruction needs the result of the one before.
      for (std::uint64_t i = 0; i < state + 3; ++i) {
        if (i < state) {
          State s{block.view(work.next()), block.view(work.next()), block.view(work.next()), {}};
          const View drive = spread(block, shared.next(), b, i);
          s.read = spread(block, shared.next(), c, i);
          block.activate(ActFn::kExp, s.decay, {step, block.view(zero), block.view(rate, i, 1)}, 1, 0,
                         RowReduce::kIdle);
          if (!hoisted || i == 0) {
            driven = block.view(drives.next());
            block.multiply(driven, step, input);
          }
          block.multiply(s.push, driven, drive);
          states.push_back(s);
        }
        if (i >= 1 && i <= state)
          block.vector(Opcode::kScan, states[i - 1].h, {states[i - 1].decay, states[i - 1].push},
                       AluOp::kMultiply, AluOp::kAdd);
        if (i >= 2 && i - 2 < state) block.multiply(states[i - 2].h, states[i - 2].h, states[i - 2].read);
        if (i >= 3)
          i == 3 ? block.vector(Opcode::kCopy, total, {states[0].h})
                 : block.add(total, total, states[i - 3].h);
      }
      block.store(y, total);
    });
  }

  View spread(const Block& block, Tile& tile, Rows from, std::uint64_t s) const {
    const std::uint32_t rows = block.view(tile).pattern.rows;
    const View to = View::columns(tile, 0, sequence, rows);
    core.load(to, {from.tensor, s * kRows, rows, 0, sequence});
    return to;
  }
};

Program build_selective_scan(const KernelArguments& given, const MachineConfig& machine, std::size_t cores) {
  const std::uint64_t channels = given.positive("channels"), sequence = given.positive("seq"),
                      state = given.positive("state");
  RankBuilder rank(machine, "selective_scan", cores, SbufBudget::kWhole);
  const auto rows = [&](const char* name, std::uint64_t count, std::uint64_t columns) {
    return Rows{rank.hbm(name, DType::kFp32, count, columns)};
  };
  const Rows delta = rows("delta", channels, sequence), u = rows("u", channels, sequence),
             a = rows("a", channels, state), b = rows("b", state * kRows, sequence),
             c = rows("c", state * kRows, sequence), y = rows("y", channels, sequence);
  const bool hoisted = given.choice("variant", {"v1", "v2"}) == 1;
  rank.kernel("selective_scan", channels, kRows,
              [&](CoreBuilder& core, std::uint64_t begin, std::uint64_t end) {
                SelectiveScan{core, delta, u, a, b, c, y, state, sequence, hoisted}.run(begin, end);
              });
  return rank.take();
}

// Steps are positive and rates negative; B and C alike on all partitions.
Matrices inputs(const KernelArguments& given) {
  const std::uint64_t channels = given.positive("channels"), sequence = given.positive("seq"),
                      state = given.positive("state");
  const auto wave = [](std::uint64_t i, std::uint64_t j, double step) {
    return std::sin(step * static_cast<double>(i * 131 + j * 17 + 1));
  };
  return {{"delta", filled(channels, sequence, [&](auto r, auto t) { return 0.2 + 0.1 * wave(r, t, 0.7); })},
          {"a", filled(channels, state, [&](auto r, auto s) { return -1.5 + wave(r, s, 0.3); })},
          {"b", filled(state * kRows, sequence, [&](auto r, auto t) { return wave(r / kRows, t, 0.9); })},
          {"c", filled(state * kRows, sequence, [&](auto r, auto t) { return wave(r / kRows, t, 0.4); })}};
}

Matrices expected_selective_scan(const KernelArguments& given, const Matrices& m) {
  const Matrix &delta = m.at("delta"), &u = m.at("u"), &a = m.at("a"), &b = m.at("b"), &c = m.at("c");
  Matrix y(delta.rows, delta.columns);
  for (std::uint64_t r = 0; r < delta.rows; ++r)
    for (std::uint64_t s = 0; s < given.positive("state"); ++s) {
      double h = 0;
      for (std::uint64_t t = 0; t < delta.columns; ++t) {
        h = std::exp(delta(r, t) * a(r, s)) * h + delta(r, t) * u(r, t) * b(s * kRows, t);
        y(r, t) += h * c(s * kRows, t);
      }
    }
  return {{"y", y}};
}

}  // namespace

std::vector<KernelRow> scan_kernels() {
  return {{"selective_scan",
           "mamba: y = scan(exp(delta A), delta u B) C, fp32",
           {{"channels", "256", "channels"},
            {"seq", "512", "time steps"},
            {"state", "16", "states a channel"},
            {"variant", "v1", "v1: delta u for every state; v2: once"}},
           build_selective_scan,
           {{{{"channels", "200"}, {"seq", "77"}, {"state", "3"}},
             {{"channels", "128"}, {"seq", "300"}, {"state", "5"}, {"variant", "v2"}}},
            inputs,
            expected_selective_scan,
            1e-4}}};
}

}  // namespace trn
