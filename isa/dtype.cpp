#include "isa/dtype.h"

#include "base/error.h"
#include "base/text.h"

namespace trn {

std::optional<DType> find_dtype(std::string_view name) {
  for (const DTypeInfo& row : kDTypes)
    if (row.name == name) return row.dtype;
  return std::nullopt;
}

std::vector<std::string> dtype_names() {
  std::vector<std::string> names;
  for (const DTypeInfo& row : kDTypes) names.emplace_back(row.name);
  return names;
}

DType dtype_named(std::string_view name, const std::string& where) {
  if (const auto dtype = find_dtype(name)) return *dtype;
  throw ProgramError(where + ": unknown dtype \"" + std::string(name) + '"' +
                     suggestion(std::string(name), dtype_names()));
}

}  // namespace trn
