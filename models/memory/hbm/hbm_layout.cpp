#include "models/memory/hbm/hbm_layout.h"

#include <map>

namespace trn {
namespace {

constexpr std::uint64_t kPage = 4096;

}  // namespace

HbmLayout::HbmLayout(const Program& program) {
  std::map<std::uint32_t, std::uint64_t> used;
  for (const TensorDecl& tensor : program.tensors) {
    base.push_back(0);
    if (tensor.space != Space::kHbm) continue;
    std::uint64_t& next = used[tensor.stack];
    base.back() = next;
    next += (tensor.rows() * tensor.row_bytes() + kPage - 1) / kPage * kPage;
  }
  end = used[0];
}

}  // namespace trn
