#include "base/error.h"

namespace trn {

void check_failed(const char* condition, const char* file, int line, const std::string& what) {
  throw InternalError(std::string(file) + ":" + std::to_string(line) + ": " + what +
                      " (violated: " + condition + ")");
}

}  // namespace trn
