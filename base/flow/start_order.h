// The flows of a batch in the order in which they started.
#pragma once

#include <vector>

#include "base/flow/service_queue.h"

namespace trn {

class StartOrder {
 public:
  // `batch` may come out in another order than it came in.
  void sort(std::vector<ServiceQueue::Entry>& batch, std::vector<FlowId>& flows);

 private:
  std::vector<FlowId> slots_;
};

}  // namespace trn
