#include "sim/functional/hbm_data.h"

#include <cmath>

#include "base/error.h"

namespace trn {
namespace {

// Calls visit(row number, column, row, element, lane) for every number of the tensor.
template <class Visit>
void for_each_number(RankMemory& memory, std::uint32_t t, const Visit& visit) {
  const TensorDecl& tensor = memory.program().tensors[t];
  const std::uint32_t lanes = info(tensor.dtype).values;
  for (std::uint64_t r = 0; r < tensor.rows(); ++r) {
    ElementRow row = memory.row(0, t, static_cast<std::int64_t>(r));
    for (std::uint64_t e = 0; e < tensor.row_elements(); ++e)
      for (std::uint32_t lane = 0; lane < lanes; ++lane)
        visit(r, e * lanes + lane, row, static_cast<std::int64_t>(e), lane);
  }
}

Matrix shaped(const TensorDecl& tensor) {
  return Matrix(tensor.rows(), tensor.row_elements() * info(tensor.dtype).values);
}

}  // namespace

Matrix read_matrix(RankMemory& memory, std::uint32_t t) {
  Matrix m = shaped(memory.program().tensors[t]);
  for_each_number(memory, t,
                  [&](std::uint64_t r, std::uint64_t c, ElementRow& row, std::int64_t e, std::uint32_t lane) {
                    m(r, c) = row.written(e) ? row.value(e, lane) : std::nan("");
                  });
  return m;
}

void write_matrix(RankMemory& memory, std::uint32_t t, const Matrix& m) {
  const TensorDecl& tensor = memory.program().tensors[t];
  TRN_CHECK(m.at.size() == shaped(tensor).at.size(), "values of the wrong shape for " + tensor.name);
  for_each_number(memory, t,
                  [&](std::uint64_t r, std::uint64_t c, ElementRow& row, std::int64_t e, std::uint32_t lane) {
                    row.set(e, lane, m(r, c));
                  });
}

void forget(RankMemory& memory, std::uint32_t t) {
  for_each_number(
      memory, t,
      [](std::uint64_t, std::uint64_t, ElementRow& row, std::int64_t e, std::uint32_t) { row.forget(e); });
}

Matrix normal_matrix(const TensorDecl& tensor, std::mt19937_64& random) {
  Matrix m = shaped(tensor);
  std::normal_distribution<double> distribution;
  for (double& value : m.at) value = distribution(random);
  return m;
}

}  // namespace trn
