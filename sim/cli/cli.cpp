#include "sim/cli/cli.h"

#include <fmt/format.h>

#include "base/error.h"

namespace trn {
namespace {

constexpr const char* kDescription =
    "trnsim predicts how fast a Trainium machine runs a program.\n"
    "Exit codes: 0 ok, 2 usage, 3 configuration, layout or model, 4 program or trace, 5 deadlock, 6 does not "
    "fit, "
    "7 assertion, 70 internal error.";

int report(const char* kind, const std::string& what, ExitCode code) {
  fmt::print(stderr, "trnsim: {}{}\n", kind, what);
  return static_cast<int>(code);
}

}  // namespace

int run_cli(int argc, char** argv) {
  CLI::App app(kDescription, "trnsim");
  app.set_version_flag("--version", "trnsim 0.1.0");
  app.require_subcommand(1);
  for (const CommandRow& row : command_table()) row.add(app);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    return report("", error.what() + std::string("; see trnsim --help"), ExitCode::kUsage);
  } catch (const UserError& error) {
    return report("", error.what(), error.code());
  } catch (const InternalError& error) {
    return report("internal error: ", error.what(), ExitCode::kInternal);
  } catch (const std::exception& error) {
    return report("internal error: ", error.what(), ExitCode::kInternal);
  }
  return 0;
}

}  // namespace trn
