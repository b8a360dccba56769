#include "kernels/registry.h"

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

namespace trn {

KernelRow gemm_kernel();
KernelRow flash_attention_kernel();
KernelRow flash_attention_backward_kernel();
KernelRow scores_attention_kernel();
KernelRow quantize_kernel();
std::vector<KernelRow> pointwise_kernels();
std::vector<KernelRow> elementwise_kernels();
std::vector<KernelRow> transpose_kernels();
std::vector<KernelRow> selection_kernels();
std::vector<KernelRow> fused_gemm_kernels();
std::vector<KernelRow> convolution_kernels();
std::vector<KernelRow> scan_kernels();
std::vector<KernelRow> mx_kernels();
std::vector<KernelRow> quantized_gemm_kernels();
std::vector<KernelRow> micro_kernels();

const std::vector<KernelRow>& kernel_table() {
  static const std::vector<KernelRow> kTable = [] {
    std::vector<KernelRow> rows{gemm_kernel(), flash_attention_kernel(), flash_attention_backward_kernel(),
                                scores_attention_kernel(), quantize_kernel()};
    for (const auto& family :
         {pointwise_kernels, elementwise_kernels, transpose_kernels, selection_kernels, fused_gemm_kernels,
          convolution_kernels, scan_kernels, mx_kernels, quantized_gemm_kernels, micro_kernels})
      for (KernelRow& row : family()) rows.push_back(std::move(row));
    return rows;
  }();
  return kTable;
}

Matrix filled(std::uint64_t rows, std::uint64_t columns,
              const std::function<double(std::uint64_t, std::uint64_t)>& value) {
  Matrix m(rows, columns);
  for (std::uint64_t r = 0; r < rows; ++r)
    for (std::uint64_t c = 0; c < columns; ++c) m(r, c) = value(r, c);
  return m;
}

const KernelRow& find_kernel(const std::string& name) {
  std::vector<std::string> known;
  for (const KernelRow& row : kernel_table()) {
    if (row.name == name) return row;
    known.push_back(row.name);
  }
  throw UsageError("kernel \"" + name + "\": unknown" + suggestion(name, known));
}

KernelArguments kernel_arguments(const KernelRow& kernel, const std::map<std::string, std::string>& given) {
  std::map<std::string, std::string> values;
  std::vector<std::string> known;
  for (const KernelArgument& argument : kernel.arguments) {
    values[argument.name] = argument.default_value;
    known.push_back("--" + argument.name);
  }
  for (const auto& [name, value] : given) {
    if (values.count(name) == 0)
      throw UsageError("kernel " + kernel.name + ": unknown argument --" + name +
                       suggestion("--" + name, known));
    values[name] = value;
  }
  return {kernel.name, values};
}

const std::string& KernelArguments::text(const std::string& name) const { return values_.at(name); }

std::uint64_t KernelArguments::positive(const std::string& name) const {
  const std::string& value = text(name);
  const bool digits = !value.empty() && value.size() < 12 &&
                      std::all_of(value.begin(), value.end(), [](char c) { return c >= '0' && c <= '9'; });
  const std::uint64_t number = digits ? std::stoull(value) : 0;
  if (number == 0)
    throw UsageError("kernel " + kernel_ + ": --" + name + ": expected an integer > 0, found \"" + value +
                     '"');
  return number;
}

DType KernelArguments::dtype(const std::string& name) const {
  if (const auto dtype = find_dtype(text(name))) return *dtype;
  throw UsageError("kernel " + kernel_ + ": --" + name + ": unknown dtype \"" + text(name) + '"' +
                   suggestion(text(name), dtype_names()));
}

std::size_t KernelArguments::choice(const std::string& name, const std::vector<std::string>& known) const {
  const auto it = std::find(known.begin(), known.end(), text(name));
  if (it == known.end())
    throw UsageError("kernel " + kernel_ + ": --" + name + ": expected one of " + join(known) + ", found \"" +
                     text(name) + '"');
  return static_cast<std::size_t>(it - known.begin());
}

}  // namespace trn
