// Told how fast flows move: for timelines.
#pragma once

#include "base/flow/flow_spec.h"

namespace trn {

class FlowListener {
 public:
  virtual ~FlowListener() = default;
  // From `now` on the flows of this class move `rate` bytes a picosecond together, until told otherwise; 0:
  // it has none, and its number may come to stand for another shape. `single`: one flow of its own
  // (FlowSpec). Classes that take nothing of any resource are left out.
  virtual void rate_changed(FlowClassId flow_class, const FlowShape& shape, bool single, double rate,
                            Picoseconds now) = 0;
};

}  // namespace trn
