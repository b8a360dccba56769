#include "sim/cli/cli.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.h"
#include "base/text.h"

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
  std::vector<std::string> names;
  for (const CommandRow& row : command_table()) {
    row.add(app);
    names.emplace_back(row.name);
  }
  try {
    const std::string first = argc > 1 ? argv[1] : "";
    if (!first.empty() && first[0] != '-' && std::find(names.begin(), names.end(), first) == names.end())
      throw UsageError("unknown command \"" + first + '"' + suggestion(first, names));
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
