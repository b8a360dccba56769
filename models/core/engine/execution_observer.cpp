#include "models/core/engine/execution_observer.h"

namespace trn {

Instruction resolved(const IssuedInstruction& issued) {
  Instruction out = issued.instruction;
  for (const AffineTerm& term : out.affine)
    out.field(term.field) += term.coefficient * static_cast<std::int64_t>(issued.iteration[term.loop]);
  out.affine.clear();
  const auto put_in = [&](AccessPattern& pattern) {
    if (!pattern.dynamic()) return;
    const std::optional<std::int32_t> value = issued.sequencer.value(pattern.reg);
    if (!value) return;
    pattern.offset += *value;
    pattern.reg = kNoRegister;
  };
  put_in(out.dst);
  for (AccessPattern& source : out.src) put_in(source);
  for (Scalar& scalar : out.control.scalars)
    if (const std::optional<std::int32_t> value = issued.sequencer.value(scalar))
      scalar = {kNoRegister, *value};
  if (out.wait.reg != kNoRegister) {
    out.wait.value += issued.sequencer.value(out.wait.reg).value_or(0);
    out.wait.reg = kNoRegister;
  }
  return out;
}

}  // namespace trn
