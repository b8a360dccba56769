#include "isa/semantics/alu.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"

namespace trn {
namespace {

constexpr double kPi = 3.14159265358979323846;

double exact(AluOp op, double a, double b) {
  switch (op) {
    case AluOp::kNone:
      return a;
    case AluOp::kAdd:
      return a + b;
    case AluOp::kSubtract:
      return a - b;
    case AluOp::kMultiply:
      return a * b;
    case AluOp::kMax:
      return std::max(a, b);
    case AluOp::kMin:
      return std::min(a, b);
    case AluOp::kIsGreaterEqual:
      return a >= b ? 1 : 0;
    case AluOp::kPower:
      return std::pow(a, b);
    case AluOp::kDivide:
      return a / b;
    case AluOp::kAbsMax:
      return std::max(std::fabs(a), std::fabs(b));
    case AluOp::kAbsMin:
      return std::min(std::fabs(a), std::fabs(b));
    case AluOp::kIsGreater:
      return a > b ? 1 : 0;
    case AluOp::kIsLess:
      return a < b ? 1 : 0;
    case AluOp::kIsLessEqual:
      return a <= b ? 1 : 0;
    case AluOp::kIsEqual:
      return a == b ? 1 : 0;
    case AluOp::kIsNotEqual:
      return a != b ? 1 : 0;
    case AluOp::kLogicalAnd:
      return a != 0 && b != 0 ? 1 : 0;
    case AluOp::kLogicalOr:
      return a != 0 || b != 0 ? 1 : 0;
    case AluOp::kMod:
      return a - b * std::floor(a / b);
    case AluOp::kRsqrt:
      return 1 / std::sqrt(a);
    default:
      break;
  }
  TRN_CHECK(false, "a bit operation on numbers");
}

double gelu(double x) { return x / 2 * std::erfc(-x / std::sqrt(2.0)); }
double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) { return x > 30 ? x : std::log1p(std::exp(x)); }

}  // namespace

double alu(AluOp op, double a, double b) { return static_cast<float>(exact(op, a, b)); }

std::int64_t alu_bits(AluOp op, std::int64_t a, std::int64_t b) {
  switch (op) {
    case AluOp::kNone:
      return a;
    case AluOp::kBitwiseAnd:
      return a & b;
    case AluOp::kBitwiseOr:
      return a | b;
    case AluOp::kBitwiseXor:
      return a ^ b;
    case AluOp::kShiftLeft:
      return b < 0 || b > 63 ? 0 : static_cast<std::int64_t>(static_cast<std::uint64_t>(a) << b);
    case AluOp::kShiftRight:
      return b < 0 || b > 63 ? 0 : static_cast<std::int64_t>(static_cast<std::uint64_t>(a) >> b);
    default:
      return static_cast<std::int64_t>(exact(op, static_cast<double>(a), static_cast<double>(b)));
  }
}

double activation(ActFn fn, double x) {
  switch (fn) {
    case ActFn::kCopy:
      return x;
    case ActFn::kSquare:
      return x * x;
    case ActFn::kExp:
      return std::exp(x);
    case ActFn::kLog:
      return std::log(x);
    case ActFn::kRsqrt:
      return 1 / std::sqrt(x);
    case ActFn::kSqrt:
      return std::sqrt(x);
    case ActFn::kSigmoid:
      return sigmoid(x);
    case ActFn::kSilu:
      return x * sigmoid(x);
    case ActFn::kSiluDerivative:
      return sigmoid(x) * (1 + x * (1 - sigmoid(x)));
    case ActFn::kTanh:
      return std::tanh(x);
    case ActFn::kGelu:
      return gelu(x);
    case ActFn::kAbs:
      return std::fabs(x);
    case ActFn::kSign:
      return x > 0 ? 1 : x < 0 ? -1 : 0;
    case ActFn::kReciprocal:
      return 1 / x;
    case ActFn::kRelu:
      return std::max(0.0, x);
    case ActFn::kGeluDerivative:
      return std::erfc(-x / std::sqrt(2.0)) / 2 + x * std::exp(-x * x / 2) / std::sqrt(2 * kPi);
    case ActFn::kGeluTanh:
      return x / 2 * (1 + std::tanh(std::sqrt(2 / kPi) * (x + 0.044715 * x * x * x)));
    case ActFn::kGeluSigmoid:
      return x * sigmoid(1.702 * x);
    case ActFn::kErf:
      return std::erf(x);
    case ActFn::kErfDerivative:
      return 2 / std::sqrt(kPi) * std::exp(-x * x);
    case ActFn::kSoftplus:
      return softplus(x);
    case ActFn::kMish:
      return x * std::tanh(softplus(x));
    case ActFn::kSin:
      return std::sin(x);
    case ActFn::kArctan:
      return std::atan(x);
  }
  TRN_CHECK(false, "an activation function without semantics");
}

}  // namespace trn
