// The kernel library: one row a kernel.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "isa/program.h"
#include "models/machine_config.h"

namespace trn {

struct KernelArgument {
  std::string name;
  std::string default_value;
  std::string help;
};

// Values by name, complete; the accessors name the argument when a value is wrong (UsageError).
class KernelArguments {
 public:
  KernelArguments(std::string kernel, std::map<std::string, std::string> values)
      : kernel_(std::move(kernel)), values_(std::move(values)) {}
  std::uint64_t positive(const std::string& name) const;
  const std::string& text(const std::string& name) const;
  DType dtype(const std::string& name) const;
  // The position of the value in `known`.
  std::size_t choice(const std::string& name, const std::vector<std::string>& known) const;

 private:
  std::string kernel_;
  std::map<std::string, std::string> values_;
};

// A tensor's values by the name it has in the kernel's program.
struct Matrix {
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::vector<double> at;  // row-major

  Matrix() = default;
  Matrix(std::uint64_t row_count, std::uint64_t column_count)
      : rows(row_count), columns(column_count), at(row_count * column_count) {}
  double& operator()(std::uint64_t row, std::uint64_t column) { return at[row * columns + column]; }
  double operator()(std::uint64_t row, std::uint64_t column) const { return at[row * columns + column]; }
};
using Matrices = std::map<std::string, Matrix>;

// How a kernel is proven: its results on small and odd shapes against an independent reference in double
// precision.
struct KernelProof {
  std::vector<std::map<std::string, std::string>>
      cases;  // arguments; those a machine cannot run are left out
  // Inputs that must be of a kind; the others are normally distributed. May be empty.
  std::function<Matrices(const KernelArguments&)> inputs;
  // What it should write, from what it was given (rounded to its dtype). Keys are the results' names.
  std::function<Matrices(const KernelArguments&, const Matrices& given)> expected;
  // |error| / (|value| + rms of all values), besides the rounding to the result's dtype.
  double tolerance = 0.01;
};

struct KernelRow {
  std::string name;
  std::string summary;
  std::vector<KernelArgument> arguments;
  // A program of `cores` cores; dimensions are split over the cores on the outer parallel one.
  std::function<Program(const KernelArguments&, const MachineConfig&, std::size_t cores)> build;
  KernelProof proof{};
};

// out(r, c) for every element.
Matrix filled(std::uint64_t rows, std::uint64_t columns,
              const std::function<double(std::uint64_t, std::uint64_t)>& value);

const std::vector<KernelRow>& kernel_table();
const KernelRow& find_kernel(const std::string& name);  // UsageError with the known names

// Fills in defaults and rejects unknown names.
KernelArguments kernel_arguments(const KernelRow& kernel, const std::map<std::string, std::string>& given);

}  // namespace trn
