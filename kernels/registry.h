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

struct KernelRow {
  std::string name;
  std::string summary;
  std::vector<KernelArgument> arguments;
  // A program of `cores` cores; dimensions are split over the cores on the outer parallel one.
  std::function<Program(const KernelArguments&, const MachineConfig&, std::size_t cores)> build;
};

const std::vector<KernelRow>& kernel_table();
const KernelRow& find_kernel(const std::string& name);  // UsageError with the known names

// Fills in defaults and rejects unknown names.
KernelArguments kernel_arguments(const KernelRow& kernel, const std::map<std::string, std::string>& given);

}  // namespace trn
