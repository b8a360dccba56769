// Any text as a machine's configuration, with the last line as an override, and as a shape: a machine or one
// ConfigError.
#include "base/config/config_document.h"
#include "base/error.h"
#include "models/interconnect/topology/topology.h"
#include "models/machine_config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trn;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const std::size_t last = text.rfind('\n');
  try {
    ConfigDocument document = parse_machine_document(text.substr(0, last), "fuzz");
    if (last != std::string::npos) document.set_linked({text.substr(last + 1)});
    parse_figures(document, "chip");
  } catch (const UserError&) {
  }
  try {
    const Topology topology(parse_fabric(ConfigDocument::parse(text, "fuzz").root(), 100));
  } catch (const UserError&) {
  }
  return 0;
}
