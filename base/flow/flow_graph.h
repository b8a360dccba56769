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
  // The class, which is attached, has changed, for the first time since it was settled: its resources are
  // due.
  void touch(FlowClassId id);
  bool any_due() const { return !due_.empty(); }

  // Fills in the classes of the next component that is due, in no order: each is connected with the others
  // through shared resources, and with no class outside. False if there is none, or if it is larger than
  // allowed: it then stays due.
  struct Most {
    std::size_t classes;
    std::size_t per_touched;  // and so many more for each class that has been touched
  };
  bool next_due(std::vector<FlowClassId>& classes, Most most);
  // All resources that are due.
  void take_due(std::vector<std::uint32_t>& resources);
  void settled(FlowClassId id) { nodes_[id].touched = false; }

  struct Stand {
    FlowClassId flow_class;
    std::uint32_t link;  // of the class
    double coefficient;
  };
  const std::vector<Stand>& on(std::uint32_t resource) const { return resources_[resource].classes; }
  struct Link {
    std::uint32_t resource;
    std::uint32_t place;  // in the resource's list
  };
  const std::vector<Link>& links(FlowClassId id) const { return nodes_[id].links; }

 private:
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
