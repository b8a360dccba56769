// trnsim report
#include <fmt/format.h>

#include "base/text.h"
#include "sim/cli/cli.h"
#include "sim/report/page/page.h"

namespace trn {

void add_report(CLI::App& app) {
  struct Arguments {
    std::string input;
    std::string output;
  };
  auto a = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand(
      "report", "Make one HTML page of result files: charts, tables, sources; needs no network to read");
  command->footer(
      "Example: trnsim train --model Qwen3-32B.json --layout tp=4,fsdp=16 --global-batch 16 -o q32\n"
      "         trnsim report q32 -o q32.html");
  command->add_option("input", a->input, "a result file, or a folder of them")->required();
  command->add_option("-o,--output", a->output, "the page to write")->required();
  command->callback([a] {
    const std::string page = report_page(load_report_inputs(a->input));
    write_file_atomically(a->output, page);
    fmt::print("{}: {} kB\n", a->output, with_commas(page.size() / 1000));
  });
}

}  // namespace trn
