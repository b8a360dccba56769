// What kinds of classes are active.
#pragma once

#include <algorithm>
#include <vector>

#include "base/flow/flow_spec.h"

namespace trn {

class ClassCensus {
 public:
  void add(const FlowShape& shape) {
    turning_ += turns(shape) ? 1 : 0;
    ++of(shape.priority).classes;
  }
  void remove(const FlowShape& shape) {
    turning_ -= turns(shape) ? 1 : 0;
    Row& row = of(shape.priority);
    if (--row.classes > 0) return;
    row = rows_.back();
    rows_.pop_back();
  }
  // One priority, and nobody pays for turning around.
  bool plain() const { return turning_ == 0 && rows_.size() <= 1; }

 private:
  struct Row {
    std::uint32_t priority;
    std::size_t classes;
  };
  static bool turns(const FlowShape& shape) {
    return std::any_of(shape.uses.begin(), shape.uses.end(),
                       [](const FlowUse& use) { return use.turn != 0; });
  }
  Row& of(std::uint32_t priority) {
    for (Row& row : rows_)
      if (row.priority == priority) return row;
    return rows_.emplace_back(Row{priority, 0});
  }

  std::size_t turning_ = 0;
  std::vector<Row> rows_;  // few
};

}  // namespace trn
