// Any text as MSCCL XML: operations that stay inside their buffers and wait for earlier ones only, or one
// ProgramError.
#include <string>

#include "base/error.h"
#include "models/interconnect/collectives/msccl/msccl_operations.h"
#include "models/interconnect/collectives/msccl/msccl_reader.h"

namespace {

void check_place(const trn::MscclOperations& expanded, std::uint32_t gpu, const trn::MscclPlace& place,
                 std::uint32_t count) {
  TRN_CHECK(place.chunk + std::uint64_t{count} <= expanded.memory.chunks(gpu, place.buffer),
            "outside a buffer");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace trn;
  if (size > 8192) return 0;
  try {
    const std::string text(reinterpret_cast<const char*>(data), size);
    const MscclOperations expanded = expand_msccl(read_msccl(text, "fuzz"));
    for (std::size_t i = 0; i < expanded.operations.size(); ++i) {
      const MscclOperation& o = expanded.operations[i];
      check_place(expanded, o.source.gpu, o.source.place, o.count);
      check_place(expanded, o.destination.gpu, o.destination.place, o.count);
      if (o.addend) check_place(expanded, o.destination.gpu, *o.addend, o.count);
      TRN_CHECK(o.after.empty() || o.after.back() < i, "waits for a later operation");
    }
  } catch (const UserError&) {
  }
  return 0;
}
