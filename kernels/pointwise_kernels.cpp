// The row kernels of the kernel library, each with its reference.
#include <cmath>

#include "kernels/builder/rank_builder.h"
#include "kernels/pointwise.h"
#include "kernels/registry.h"

namespace trn {
namespace {

constexpr double kChainOfBf16 = 0.03;  // intermediates rounded to bf16 several times

using Body = std::function<void(RankBuilder&, std::uint64_t rows, std::uint64_t columns)>;
using Expected = std::function<Matrices(const KernelArguments&, const Matrices&)>;

// A kernel over [rows, columns]; `body` declares its tensors and appends itself. Checked on an odd and on a
// wide shape of columns that are a multiple of `granule`.
KernelRow row_kernel(const std::string& name, const std::string& summary, const std::string& columns,
                     const Body& body, const Expected& expected, std::uint64_t granule = 1,
                     double tolerance = 0.01) {
  const auto size = [&](std::uint64_t wanted) {
    return std::to_string((wanted + granule - 1) / granule * granule);
  };
  return {name,
          summary,
          {{"rows", "4096", "tokens"}, {"columns", columns, "features"}},
          [name, body](const KernelArguments& arguments, const MachineConfig& machine, std::size_t cores) {
            RankBuilder rank(machine, name, cores);
            body(rank, arguments.positive("rows"), arguments.positive("columns"));
            return rank.take();
          },
          {{{{"rows", "200"}, {"columns", size(301)}}, {{"rows", "128"}, {"columns", size(5000)}}},
           {},
           expected,
           tolerance}};
}

Rows tensor(RankBuilder& rank, const std::string& name, std::uint64_t rows, std::uint64_t columns) {
  return {rank.hbm(name, DType::kBf16, rows, columns)};
}

double mean_square(const Matrix& x, std::uint64_t row, std::uint64_t first, std::uint64_t count) {
  double sum = 0;
  for (std::uint64_t c = first; c < first + count; ++c) sum += x(row, c) * x(row, c);
  return sum / static_cast<double>(count);
}
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

KernelRow rmsnorm_kernel() {
  return row_kernel(
      "rmsnorm", "y = x / rms(x) * weight", "5120",
      [](RankBuilder& rank, std::uint64_t rows, std::uint64_t columns) {
        const Rows x = tensor(rank, "x", rows, columns), w = tensor(rank, "w", 128, columns),
                   y = tensor(rank, "y", rows, columns);
        rank.kernel("rmsnorm", rows, 128, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
          rmsnorm(core, x, w, y, b, e);
        });
      },
      [](const KernelArguments&, const Matrices& given) {
        const Matrix &x = given.at("x"), &w = given.at("w");
        return Matrices{{"y", filled(x.rows, x.columns, [&](std::uint64_t r, std::uint64_t c) {
                           const double rms = std::sqrt(mean_square(x, r, 0, x.columns) + kNormEpsilon);
                           return x(r, c) / rms * w(r % 128, c);
                         })}};
      });
}

// With y = x/rms * w: dx = dy w / rms - x mean(x dy w) / rms^3; here dy bypasses the norm as well.
KernelRow rmsnorm_backward_kernel() {
  return row_kernel(
      "rmsnorm_bwd", "dx from dy, x and the weight", "5120",
      [](RankBuilder& rank, std::uint64_t rows, std::uint64_t columns) {
        const Rows x = tensor(rank, "x", rows, columns), w = tensor(rank, "w", 128, columns);
        const Rows dy = tensor(rank, "dy", rows, columns), dx = tensor(rank, "dx", rows, columns);
        rank.kernel("rmsnorm_bwd", rows, 128, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
          rmsnorm_backward(core, x, w, dy, dy, dx, b, e);
        });
      },
      [](const KernelArguments&, const Matrices& given) {
        const Matrix &x = given.at("x"), &w = given.at("w"), &dy = given.at("dy");
        Matrix dx(x.rows, x.columns);
        for (std::uint64_t r = 0; r < x.rows; ++r) {
          const double rms = std::sqrt(mean_square(x, r, 0, x.columns) + kNormEpsilon);
          double dot = 0;
          for (std::uint64_t c = 0; c < x.columns; ++c) dot += x(r, c) * dy(r, c) * w(r % 128, c);
          dot /= static_cast<double>(x.columns);
          for (std::uint64_t c = 0; c < x.columns; ++c)
            dx(r, c) = dy(r, c) + dy(r, c) * w(r % 128, c) / rms - x(r, c) * dot / (rms * rms * rms);
        }
        return Matrices{{"dx", dx}};
      },
      1, kChainOfBf16);
}

KernelRow residual_add_kernel() {
  return row_kernel(
      "residual_add", "out = a + b", "5120",
      [](RankBuilder& rank, std::uint64_t rows, std::uint64_t columns) {
        const Rows x = tensor(rank, "a", rows, columns), y = tensor(rank, "b", rows, columns),
                   out = tensor(rank, "out", rows, columns);
        rank.kernel("residual_add", rows, 128, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
          add_rows(core, x, y, out, b, e);
        });
      },
      [](const KernelArguments&, const Matrices& given) {
        const Matrix &a = given.at("a"), &b = given.at("b");
        return Matrices{{"out", filled(a.rows, a.columns,
                                       [&](std::uint64_t r, std::uint64_t c) { return a(r, c) + b(r, c); })}};
      });
}

KernelRow swiglu_kernel() {
  return row_kernel(
      "swiglu", "silu(gate) * up", "6400",
      [](RankBuilder& rank, std::uint64_t rows, std::uint64_t columns) {
        const Rows gate_up = tensor(rank, "gate_up", rows, 2 * columns),
                   act = tensor(rank, "act", rows, columns);
        rank.kernel("swiglu", rows, 128, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
          swiglu(core, gate_up, act, b, e);
        });
      },
      [](const KernelArguments&, const Matrices& given) {
        const Matrix& x = given.at("gate_up");
        const std::uint64_t half = x.columns / 2;
        return Matrices{{"act", filled(x.rows, half, [&](std::uint64_t r, std::uint64_t c) {
                           return x(r, c) * sigmoid(x(r, c)) * x(r, half + c);
                         })}};
      });
}

KernelRow swiglu_backward_kernel() {
  return row_kernel(
      "swiglu_bwd", "d(gate), d(up) from d(act)", "6400",
      [](RankBuilder& rank, std::uint64_t rows, std::uint64_t columns) {
        const Rows gate_up = tensor(rank, "gate_up", rows, 2 * columns),
                   dact = tensor(rank, "dact", rows, columns);
        const Rows dgate_up = tensor(rank, "dgate_up", rows, 2 * columns);
        rank.kernel("swiglu_bwd", rows, 128, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
          swiglu_backward(core, gate_up, dact, dgate_up, b, e);
        });
      },
      [](const KernelArguments&, const Matrices& given) {
        const Matrix &x = given.at("gate_up"), &dact = given.at("dact");
        const std::uint64_t half = x.columns / 2;
        return Matrices{{"dgate_up", filled(x.rows, x.columns, [&](std::uint64_t r, std::uint64_t c) {
                           const double gate = x(r, c % half);
                           const double s = sigmoid(gate);
                           if (c >= half) return gate * s * dact(r, c - half);
                           return s * (1 + gate * (1 - s)) * x(r, half + c) * dact(r, c);
                         })}};
      });
}

KernelRow rope_kernel() {
  return row_kernel(
      "rope", "query/key norm and rotary embedding, heads of 128", "2048",
      [](RankBuilder& rank, std::uint64_t rows, std::uint64_t columns) {
        const Rows x = tensor(rank, "x", rows, columns), table = tensor(rank, "cos_sin", rows, 256),
                   y = tensor(rank, "y", rows, columns);
        rank.kernel("rope", rows, 128, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
          rope(core, x, table, y, columns / 128, 128, true, b, e);
        });
      },
      [](const KernelArguments&, const Matrices& given) {
        const Matrix &x = given.at("x"), &table = given.at("cos_sin");
        return Matrices{{"y", filled(x.rows, x.columns, [&](std::uint64_t r, std::uint64_t c) {
                           const std::uint64_t head = c / 128 * 128;
                           const std::uint64_t i = c % 128;
                           const double rms = std::sqrt(mean_square(x, r, head, 128) + kNormEpsilon);
                           return (x(r, c) * table(r, i) + x(r, head + (i + 64) % 128) * table(r, 128 + i)) /
                                  rms;
                         })}};
      },
      128, kChainOfBf16);
}

// Targets spread over the whole row.
Matrices cross_entropy_inputs(const KernelArguments& arguments) {
  const std::uint64_t columns = arguments.positive("columns");
  return {{"targets", filled(arguments.positive("rows"), 1, [&](std::uint64_t r, std::uint64_t) {
             return static_cast<double>(r * 977 % columns);
           })}};
}

KernelRow cross_entropy_kernel() {
  KernelRow row = row_kernel(
      "cross_entropy", "softmax(logits) - onehot(targets)", "37984",
      [](RankBuilder& rank, std::uint64_t rows, std::uint64_t columns) {
        const Rows x = tensor(rank, "logits", rows, columns), y = tensor(rank, "dlogits", rows, columns);
        const Rows targets{rank.hbm("targets", DType::kInt32, rows, 1)};
        rank.kernel("cross_entropy", rows, 128, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
          cross_entropy(core, x, targets, y, b, e);
        });
      },
      [](const KernelArguments&, const Matrices& given) {
        const Matrix &x = given.at("logits"), &targets = given.at("targets");
        Matrix y(x.rows, x.columns);
        for (std::uint64_t r = 0; r < x.rows; ++r) {
          double sum = 0;
          for (std::uint64_t c = 0; c < x.columns; ++c) sum += std::exp(x(r, c));
          for (std::uint64_t c = 0; c < x.columns; ++c)
            y(r, c) = std::exp(x(r, c)) / sum - (targets(r, 0) == static_cast<double>(c) ? 1 : 0);
        }
        return Matrices{{"dlogits", y}};
      });
  row.proof.inputs = cross_entropy_inputs;
  return row;
}

KernelRow embedding_kernel() {
  return row_kernel(
      "embedding", "rows of a table", "5120",
      [](RankBuilder& rank, std::uint64_t rows, std::uint64_t columns) {
        const Rows x = tensor(rank, "table", rows, columns), y = tensor(rank, "out", rows, columns);
        rank.kernel("embedding", rows, 128, [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) {
          embedding(core, x, y, b, e);
        });
      },
      [](const KernelArguments&, const Matrices& given) {
        return Matrices{{"out", given.at("table")}};
      });
}

std::uint64_t adamw_rows(const KernelArguments& arguments) {
  return (arguments.positive("parameters") + kAdamColumns - 1) / kAdamColumns;
}

// Second moments are not negative.
Matrices adamw_inputs(const KernelArguments& arguments) {
  const std::uint64_t rows = adamw_rows(arguments);
  const auto wave = [&](double step) {
    return filled(rows, kAdamColumns, [&](std::uint64_t r, std::uint64_t c) {
      return std::sin(step * static_cast<double>(r * kAdamColumns + c));
    });
  };
  Matrices given{{"master", wave(0.37)}, {"m", wave(0.11)}, {"v", wave(0.23)}};
  for (double& value : given["v"].at) value = value * value;
  return given;
}

Matrices adamw_expected(const KernelArguments&, const Matrices& given) {
  const AdamConstants a;
  Matrix master = given.at("master"), m = given.at("m"), v = given.at("v");
  const Matrix& g = given.at("gradient");
  for (std::size_t i = 0; i < master.at.size(); ++i) {
    m.at[i] = a.beta1 * m.at[i] + (1 - a.beta1) * g.at[i];
    v.at[i] = a.beta2 * v.at[i] + (1 - a.beta2) * g.at[i] * g.at[i];
    const double mean = m.at[i] / (1 - std::pow(a.beta1, a.step));
    const double spread = std::sqrt(v.at[i] / (1 - std::pow(a.beta2, a.step)) + a.epsilon * a.epsilon);
    master.at[i] = master.at[i] * (1 - a.rate * a.decay) - a.rate * mean / spread;
  }
  return {{"master", master}, {"m", m}, {"v", v}, {"parameter", master}};
}

KernelRow adamw_kernel() {
  return {
      "adamw",
      "one AdamW step on a flat shard",
      {{"parameters", "4194304", "elements, rounded up to rows of 2048"}},
      [](const KernelArguments& arguments, const MachineConfig& machine, std::size_t cores) {
        RankBuilder rank(machine, "adamw", cores);
        const std::uint64_t rows = adamw_rows(arguments);
        const auto fp32 = [&](const char* name) { return rank.hbm(name, DType::kFp32, rows, kAdamColumns); };
        const AdamState state{fp32("master"), fp32("m"), fp32("v"), fp32("gradient"),
                              rank.hbm("parameter", DType::kBf16, rows, kAdamColumns)};
        rank.kernel("adamw", rows, 128,
                    [&](CoreBuilder& core, std::uint64_t b, std::uint64_t e) { adamw(core, state, b, e); });
        return rank.take();
      },
      {{{{"parameters", "20000"}}, {{"parameters", "300000"}}}, adamw_inputs, adamw_expected, 0.001}};
}

}  // namespace

std::vector<KernelRow> pointwise_kernels() {
  return {rmsnorm_kernel(),       rmsnorm_backward_kernel(), residual_add_kernel(),
          swiglu_kernel(),        swiglu_backward_kernel(),  rope_kernel(),
          cross_entropy_kernel(), embedding_kernel(),        adamw_kernel()};
}

}  // namespace trn
