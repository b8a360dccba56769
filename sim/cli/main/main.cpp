#include <cstdlib>

#include "sim/cli/cli.h"

// libsystemc brings a main of its own that would call this; ours takes precedence and never does.
extern "C" int sc_main(int, char**) { return 0; }

int main(int argc, char** argv) {
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  return trn::run_cli(argc, argv);
}
