// Configurations that build on others:
//   {"name": "trn4-whatif", "based_on": "trn3",
//    "removed": ["chip.tdp_watts"], "added": {"shapes.flat": {...}},
//    "changes": {"hbm.stacks": {"value" or "factor": 8, "source": "...", "confidence": "press"}},
//    "inherited": "assumed",
//    "linked": {"hbm.stacks": ["neuron_core.dma.engine_mb_per_s"]},
//    "overlays": {"clock": {"note": "...", "changes": {...}}, "array": {"refused": "why"}},
//    "ranges": {"hbm.stacks": {"low": 6, "high": 8, "why": "...", "source": "...", "confidence": "assumed"}}}
// A document without based_on is full; it may have linked, overlays and ranges beside its figures. What a
// document changes scales what is linked to it, unless the document changes that too. A range
// ends where a layer gives its figure a value, and scales with factors.
#pragma once

#include <string>
#include <vector>

#include "base/config/config_document.h"

namespace trn {

// Where named documents lie, and what they are called in complaints: "machine".
struct ConfigLibrary {
  std::string folder;
  std::string what;
};

// "trn4-whatif+clock+unlinked", also after a path: the document, and overlays in order.
struct LayeredName {
  std::string document;
  std::vector<std::string> overlays;
};
LayeredName split_overlays(const std::string& name);

// Every document's overlay that switches linked scaling off, in its bases too.
inline constexpr const char* kUnlinked = "unlinked";
// "trn2" -> "trn2+unlinked", once.
std::string unlinked_name(const std::string& name);

// The document with its overlays laid over it. ConfigErrors name file and key: cycles, missing bases, unknown
// keys and overlays, changes of what the base does not have.
ConfigDocument load_layered(const ConfigLibrary& library, const std::string& name);

// The same from a text; bases with a path are looked up beside `label`.
ConfigDocument parse_layered(const ConfigLibrary& library, const std::string& text, const std::string& label);

}  // namespace trn
