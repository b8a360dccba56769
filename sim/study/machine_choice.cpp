#include "sim/study/machine_choice.h"

#include "base/config/layered_config.h"
#include "sim/study/knob.h"

namespace trn {
ConfigDocument MachineChoice::document() const {
  ConfigDocument document = load_machine_document(parse_machine_name(full_name()).config);
  document.set_linked(expand_all(sets, document, shape()));
  for (const std::string& figure : expand_all(alone, document, shape())) document.set(figure);
  return document;
}

std::string MachineChoice::full_name() const {
  if (!unlinked) return machine;
  const MachineName name = parse_machine_name(machine);
  return unlinked_name(name.config) + ':' + name.shape;
}

Machine MachineChoice::resolve() const {
  Machine resolved(document(), shape());
  if (hbm == kHbmModels[static_cast<std::size_t>(HbmModel::kChannel)])
    resolved.config.hbm.model = HbmModel::kChannel;
  return resolved;
}

}  // namespace trn
