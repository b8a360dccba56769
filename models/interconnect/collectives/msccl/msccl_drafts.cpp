#include "models/interconnect/collectives/msccl/msccl_drafts.h"

#include <algorithm>
#include <functional>
#include <queue>

#include "base/error.h"

namespace trn {
namespace {

using Graph = std::vector<std::vector<std::uint32_t>>;

Graph reversed(const Graph& graph) {
  Graph out(graph.size());
  for (std::uint32_t node = 0; node < graph.size(); ++node)
    for (const std::uint32_t other : graph[node]) out[other].push_back(node);
  return out;
}

// Nodes of `graph` (node -> what it waits for) in an order that respects it, the lowest first where there is
// a choice; those on a circle or after one are left out.
std::vector<std::uint32_t> sorted(const Graph& graph) {
  const Graph frees = reversed(graph);
  std::vector<std::size_t> open(graph.size());
  std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
  for (std::uint32_t node = 0; node < graph.size(); ++node) {
    open[node] = graph[node].size();
    if (open[node] == 0) ready.push(node);
  }
  std::vector<std::uint32_t> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (const std::uint32_t node : frees[order.back()])
      if (--open[node] == 0) ready.push(node);
  }
  return order;
}

// On a circle, or between two.
std::vector<char> circular(const Graph& graph) {
  std::vector<char> inside(graph.size(), 1);
  for (const std::uint32_t node : sorted(graph)) inside[node] = 0;
  for (const std::uint32_t node : sorted(reversed(graph))) inside[node] = 0;
  return inside;
}

Graph direct_graph(const std::vector<MscclDraft>& drafts) {
  Graph graph(drafts.size());
  for (std::uint32_t i = 0; i < drafts.size(); ++i) {
    for (const MscclEvent& event : drafts[i].before) graph[i].push_back(event.draft);
    for (const MscclEvent& event : drafts[i].before_arrival) graph[i].push_back(event.draft);
  }
  return graph;
}

// The local half of an operation that stops in scratch; `operation` becomes the other half.
MscclOperation unpack(MscclOperation& operation, const MscclStepId& receiver, MscclMemory& memory) {
  MscclOperation second = operation;
  operation.destination.place = memory.add_scratch(receiver.gpu, operation.count);
  operation.addend.reset();
  second.source = operation.destination;
  second.step = receiver;
  return second;
}

}  // namespace

std::vector<MscclOperation> order_msccl_drafts(std::vector<MscclDraft> drafts, MscclMemory& memory) {
  const std::vector<char> stops = circular(direct_graph(drafts));
  std::vector<MscclOperation> operations;
  std::vector<std::uint32_t> left(drafts.size()), arrived(drafts.size());
  for (std::uint32_t i = 0; i < drafts.size(); ++i) {
    left[i] = static_cast<std::uint32_t>(operations.size());
    operations.push_back(std::move(drafts[i].operation));
    if (stops[i] && !drafts[i].before_arrival.empty()) {
      MscclOperation second = unpack(operations.back(), *drafts[i].receiver, memory);
      operations.push_back(std::move(second));
    }
    arrived[i] = static_cast<std::uint32_t>(operations.size() - 1);
  }
  Graph graph(operations.size());
  const auto wait = [&](std::uint32_t operation, const std::vector<MscclEvent>& events) {
    for (const MscclEvent& event : events)
      graph[operation].push_back(event.kind == MscclEventKind::kLeft ? left[event.draft]
                                                                     : arrived[event.draft]);
  };
  for (std::uint32_t i = 0; i < drafts.size(); ++i) {
    wait(left[i], drafts[i].before);
    wait(arrived[i], drafts[i].before_arrival);
    if (arrived[i] != left[i]) graph[arrived[i]].push_back(left[i]);
  }
  const std::vector<std::uint32_t> order = sorted(graph);
  TRN_CHECK(order.size() == operations.size(), "operations of a checked program wait for each other");
  std::vector<std::uint32_t> place(operations.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<MscclOperation> result;
  for (const std::uint32_t old : order) {
    MscclOperation& operation = result.emplace_back(std::move(operations[old]));
    for (const std::uint32_t other : graph[old]) operation.after.push_back(place[other]);
    std::sort(operation.after.begin(), operation.after.end());
    operation.after.erase(std::unique(operation.after.begin(), operation.after.end()), operation.after.end());
  }
  return result;
}

}  // namespace trn
