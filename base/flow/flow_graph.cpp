#include "base/flow/flow_graph.h"

namespace trn {

void FlowGraph::attach(FlowClassId id, const std::vector<FlowUse>& uses) {
  if (nodes_.size() <= id) nodes_.resize(id + 1);
  Node& node = nodes_[id];
  node.touched = false;
  node.links.resize(uses.size());
  for (std::uint32_t u = 0; u < uses.size(); ++u) {
    std::vector<Stand>& list = resources_[uses[u].resource].classes;
    node.links[u] = {uses[u].resource, static_cast<std::uint32_t>(list.size())};
    list.push_back({id, u, uses[u].coefficient});
  }
}

// The last of each list takes the place that becomes free.
void FlowGraph::detach(FlowClassId id) {
  for (const Link& link : nodes_[id].links) {
    std::vector<Stand>& list = resources_[link.resource].classes;
    list[link.place] = list.back();
    nodes_[list[link.place].flow_class].links[list[link.place].link].place = link.place;
    list.pop_back();
  }
}

void FlowGraph::touch(FlowClassId id) {
  nodes_[id].touched = true;
  for (const Link& link : nodes_[id].links) {
    Resource& resource = resources_[link.resource];
    if (!resource.due) due_.push_back(link.resource);
    resource.due = true;
  }
}

bool FlowGraph::next_due(std::vector<FlowClassId>& classes, Most most) {
  classes.clear();
  while (!due_.empty() && classes.empty()) {
    std::size_t allowed = most.classes;
    visited_.clear();
    if (resources_[due_.back()].due) visit(due_.back());  // else met meanwhile from elsewhere
    // The list grows meanwhile. NOLINTNEXTLINE(modernize-loop-convert)
    for (std::size_t i = 0; i < visited_.size() && classes.size() <= allowed; ++i)
      for (const Stand& stand : resources_[visited_[i]].classes) {
        Node& node = nodes_[stand.flow_class];
        if (node.visited) continue;
        node.visited = true;
        allowed += node.touched ? most.per_touched : 0;
        classes.push_back(stand.flow_class);
        for (const Link& link : node.links) visit(link.resource);
      }
    for (const std::uint32_t r : visited_) resources_[r].visited = false;
    for (const FlowClassId id : classes) nodes_[id].visited = false;
    if (classes.size() > allowed) return false;
    for (const std::uint32_t r : visited_) resources_[r].due = false;
    due_.pop_back();
  }
  return !classes.empty();
}

void FlowGraph::take_due(std::vector<std::uint32_t>& resources) {
  resources.clear();
  for (const std::uint32_t r : due_) {
    if (resources_[r].due) resources.push_back(r);
    resources_[r].due = false;
  }
  due_.clear();
}

void FlowGraph::visit(std::uint32_t resource) {
  if (resources_[resource].visited) return;
  resources_[resource].visited = true;
  visited_.push_back(resource);
}

}  // namespace trn
