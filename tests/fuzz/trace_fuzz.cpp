// Any bytes: a program or one ProgramError; what is read can be checked and written again.
#include "base/error.h"
#include "tests/fuzz/any_machine.h"
#include "traces/trace_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trn;
  if (size > 65536) return 0;
  try {
    const Program program = read_trace(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
    TRN_CHECK(read_trace(write_trace(program), "again") == program, "a trace does not round-trip");
    check_program(program, machine_for(program));
  } catch (const UserError&) {
  }
  return 0;
}
