#include "sim/functional/hbm_data.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "isa/semantics/number.h"

namespace trn {
namespace {

// Calls visit(row, column, element, lane) for every number of the tensor.
template <class Visit>
void for_each_number(RankMemory& memory, std::uint32_t t, const Visit& visit) {
  const TensorDecl& tensor = memory.program().tensors[t];
  const std::uint32_t lanes = info(tensor.dtype).values;
  for (std::uint64_t r = 0; r < tensor.rows(); ++r)
    for (std::uint64_t e = 0; e < tensor.row_elements(); ++e)
      for (std::uint32_t lane = 0; lane < lanes; ++lane)
        visit(r, e * lanes + lane,
              memory.element(0, t, static_cast<std::int64_t>(r), static_cast<std::int64_t>(e)), lane);
}

Matrix shaped(const TensorDecl& tensor) {
  return Matrix(tensor.rows(), tensor.row_elements() * info(tensor.dtype).values);
}

}  // namespace

Matrix read_matrix(RankMemory& memory, std::uint32_t t) {
  const DType dtype = memory.program().tensors[t].dtype;
  Matrix m = shaped(memory.program().tensors[t]);
  for_each_number(memory, t,
                  [&](std::uint64_t r, std::uint64_t c, const ElementBytes& element, std::uint32_t lane) {
                    m(r, c) = element.written[0] == 0 ? std::nan("") : decode(dtype, element.bytes, lane);
                  });
  return m;
}

void write_matrix(RankMemory& memory, std::uint32_t t, const Matrix& m) {
  const TensorDecl& tensor = memory.program().tensors[t];
  TRN_CHECK(m.at.size() == shaped(tensor).at.size(), "values of the wrong shape for " + tensor.name);
  for_each_number(memory, t,
                  [&](std::uint64_t r, std::uint64_t c, const ElementBytes& element, std::uint32_t lane) {
                    encode(tensor.dtype, m(r, c), element.bytes, lane);
                    std::fill_n(element.written, size_of(tensor.dtype), std::uint8_t{1});
                  });
}

void forget(RankMemory& memory, std::uint32_t t) {
  const std::uint32_t width = size_of(memory.program().tensors[t].dtype);
  for_each_number(memory, t, [&](std::uint64_t, std::uint64_t, const ElementBytes& element, std::uint32_t) {
    std::fill_n(element.written, width, std::uint8_t{0});
  });
}

Matrix normal_matrix(const TensorDecl& tensor, std::mt19937_64& random) {
  Matrix m = shaped(tensor);
  std::normal_distribution<double> distribution;
  for (double& value : m.at) value = distribution(random);
  return m;
}

}  // namespace trn
