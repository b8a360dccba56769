// Any text: a program or one ProgramError; what assembles also prints and assembles again to the same
// program.
#include "base/error.h"
#include "isa/assembler/assembler.h"
#include "tests/fuzz/any_machine.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trn;
  if (size > 4096) return 0;
  try {
    const Program program = assemble(std::string(reinterpret_cast<const char*>(data), size), "fuzz");
    const Program again = assemble(disassemble(program), "again");
    TRN_CHECK(again == program, "text does not round-trip");
    check_program(program, machine_for(program));
  } catch (const UserError&) {
  }
  return 0;
}
