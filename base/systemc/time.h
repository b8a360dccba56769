// The single place where sc_time and Picoseconds meet; the kernel's resolution is its default, 1 ps.
#pragma once

#include <systemc>

#include "base/units.h"

namespace trn {

inline Picoseconds now() { return Picoseconds(sc_core::sc_time_stamp().value()); }
inline sc_core::sc_time to_sc_time(Picoseconds t) { return sc_core::sc_time::from_value(t.count()); }

}  // namespace trn
