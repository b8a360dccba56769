// Which orders of dimensions a bucket algorithm should use, and how much data each: a small linear program.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "models/interconnect/collectives/algorithms/algorithm.h"

namespace trn {
namespace {

using Row = std::vector<double>;
using Dimensions = std::vector<GroupShape::Dimension>;

// Time a unit of data keeps each dimension busy: reduce-scatter shrinks it by the size of each dimension
// passed.
Row dimension_times(const Dimensions& dimensions, const std::vector<std::uint32_t>& order) {
  Row times(dimensions.size());
  double left = 1;
  for (const std::uint32_t d : order) {
    const double size = dimensions[d].size;
    times[d] = left * (size - 1) / size / dimensions[d].rate;
    left /= size;
  }
  return times;
}

// Gaussian elimination with partial pivoting; nothing if singular.
std::optional<Row> solve(std::vector<Row> a, Row b) {
  const std::size_t n = b.size();
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c + 1; r < n; ++r)
      if (std::abs(a[r][c]) > std::abs(a[pivot][c])) pivot = r;
    if (std::abs(a[pivot][c]) < 1e-12) return std::nullopt;
    std::swap(a[c], a[pivot]);
    std::swap(b[c], b[pivot]);
    for (std::size_t r = 0; r < n; ++r) {
      if (r == c) continue;
      const double factor = a[r][c] / a[c][c];
      for (std::size_t k = c; k < n; ++k) a[r][k] -= factor * a[c][k];
      b[r] -= factor * b[c];
    }
  }
  for (std::size_t r = 0; r < n; ++r) b[r] /= a[r][r];
  return b;
}

// All ways to choose `count` of `n`.
std::vector<std::vector<std::size_t>> subsets(std::size_t n, std::size_t count) {
  std::vector<std::vector<std::size_t>> out;
  std::vector<bool> chosen(n);
  std::fill(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(count), true);
  do {
    std::vector<std::size_t> subset;
    for (std::size_t i = 0; i < n; ++i)
      if (chosen[i]) subset.push_back(i);
    out.push_back(subset);
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return out;
}

}  // namespace

// An optimal vertex uses as many orders as there are dimensions whose links are equally loaded: try them all.
std::vector<BucketOrder> balanced_orders(const std::vector<GroupShape::Dimension>& dimensions) {
  const std::size_t dims = dimensions.size();
  std::vector<std::vector<std::uint32_t>> orders;
  std::vector<std::uint32_t> order(dims);
  std::iota(order.begin(), order.end(), 0u);
  do orders.push_back(order);
  while (std::next_permutation(order.begin(), order.end()));
  std::vector<Row> times;
  for (const auto& o : orders) times.push_back(dimension_times(dimensions, o));

  double best = std::numeric_limits<double>::infinity();
  std::vector<BucketOrder> result;
  for (std::size_t used = 1; used <= dims; ++used) {
    for (const auto& some_orders : subsets(orders.size(), used)) {
      for (const auto& tight : subsets(dims, used)) {
        // Unknown shares: equal load on the tight dimensions, sum one.
        std::vector<Row> a;
        Row b;
        for (std::size_t i = 0; i + 1 < used; ++i) {
          Row row;
          for (const std::size_t o : some_orders)
            row.push_back((times[o][tight[i]] - times[o][tight[i + 1]]) / times[0][0]);
          a.push_back(row);
          b.push_back(0);
        }
        a.emplace_back(used, 1.0);
        b.push_back(1);
        const std::optional<Row> shares = solve(a, b);
        if (!shares || std::any_of(shares->begin(), shares->end(), [](double s) { return s < -1e-12; }))
          continue;
        double worst = 0;
        for (std::size_t d = 0; d < dims; ++d) {
          double load = 0;
          for (std::size_t i = 0; i < used; ++i) load += (*shares)[i] * times[some_orders[i]][d];
          worst = std::max(worst, load);
        }
        if (worst >= best * (1 - 1e-9)) continue;
        best = worst;
        result.clear();
        for (std::size_t i = 0; i < used; ++i)
          if ((*shares)[i] > 1e-9) result.push_back({orders[some_orders[i]], (*shares)[i]});
      }
    }
  }
  return result;
}

}  // namespace trn
