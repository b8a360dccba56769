// Which active classes of flows meet on which resources, and which of them are connected.
#pragma once

#include <cstdint>
#include <vector>

#include "base/flow/flow_spec.h"

namespace trn {

class FlowGraph {
 public:
  void add_resource() { resources_.emplace_back(); }

  void attach(FlowClassId id, const std::vector<FlowUse>& uses);
  void detach(FlowClassId id);
  // The class, which is attached, has changed: its component is due.
  void touch(FlowClassId id);
  bool any_due() const { return !due_.empty(); }

  // Fills in the classes of the next component that is due, in no order; false if there is none.
  // Each is connected with the others through shared resources, and with no class outside.
  bool next_due(std::vector<FlowClassId>& classes);

  struct Stand {
    FlowClassId flow_class;
    std::uint32_t link;  // of the class
  };
  const std::vector<Stand>& on(std::uint32_t resource) const { return resources_[resource].classes; }

 private:
  struct Link {
    std::uint32_t resource;
    std::uint32_t place;  // in the resource's list
  };
  struct Node {
    std::vector<Link> links;
    bool touched = false;
    bool visited = false;
  };
  struct Resource {
    std::vector<Stand> classes;
    bool due = false;
    bool visited = false;
  };
  void visit(std::uint32_t resource);

  std::vector<Node> nodes_;  // by class
  std::vector<Resource> resources_;
  std::vector<std::uint32_t> due_;
  std::vector<std::uint32_t> visited_;  // resources
};

}  // namespace trn
