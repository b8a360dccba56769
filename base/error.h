// The two kinds of failure: the user's (UserError, with place and remedy) and ours (TRN_CHECK).
#pragma once

#include <stdexcept>
#include <string>

namespace trn {

// Process exit codes; documented in README.md and `trnsim --help`.
enum class ExitCode : int {
  kOk = 0,
  kUsage = 2,
  kConfig = 3,   // configuration, layout or model
  kProgram = 4,  // program or trace
  kDeadlock = 5,
  kCapacity = 6,   // does not fit
  kAssertion = 7,  // --assert not met
  kInternal = 70,
};

// A mistake in the input. `what()` is one line: place, what was found, what is allowed.
class UserError : public std::runtime_error {
 public:
  UserError(ExitCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

struct UsageError : UserError {
  explicit UsageError(const std::string& m) : UserError(ExitCode::kUsage, m) {}
};
struct ConfigError : UserError {
  explicit ConfigError(const std::string& m) : UserError(ExitCode::kConfig, m) {}
};
struct ProgramError : UserError {
  explicit ProgramError(const std::string& m) : UserError(ExitCode::kProgram, m) {}
};
struct DeadlockError : UserError {
  explicit DeadlockError(const std::string& m) : UserError(ExitCode::kDeadlock, m) {}
};
struct CapacityError : UserError {
  explicit CapacityError(const std::string& m) : UserError(ExitCode::kCapacity, m) {}
};
struct AssertionError : UserError {
  explicit AssertionError(const std::string& m) : UserError(ExitCode::kAssertion, m) {}
};

// Our own bug: a broken invariant of the simulator.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

[[noreturn]] void check_failed(const char* condition, const char* file, int line, const std::string& what);

}  // namespace trn

// On in every build: a wrong number is worse than a stop.
#define TRN_CHECK(condition, what)                                               \
  do {                                                                           \
    if (!(condition)) ::trn::check_failed(#condition, __FILE__, __LINE__, what); \
  } while (false)
