#include "sim/study/machine_choice.h"

#include "sim/study/knob.h"

namespace trn {

ConfigDocument MachineChoice::document() const {
  ConfigDocument document = load_machine_document(parse_machine_name(machine).config);
  for (const std::string& assignment : sets)
    for (const std::string& figure : expand_assignment(assignment, document, shape())) document.set(figure);
  return document;
}

Machine MachineChoice::resolve() const {
  Machine resolved(document(), shape());
  if (hbm == kHbmModels[static_cast<std::size_t>(HbmModel::kChannel)])
    resolved.config.hbm.model = HbmModel::kChannel;
  return resolved;
}

}  // namespace trn
