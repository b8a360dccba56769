#include "isa/compress.h"

#include <algorithm>

namespace trn {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15ull + (hash << 6) + (hash >> 2);
  return hash;
}

// Equal for nodes of the same shape; a filter in front of the full comparison.
std::uint64_t shape_hash(const Node& node) {
  if (node.is_loop()) {
    std::uint64_t hash = mix(1, node.repeat);
    for (const Node& child : node.body) hash = mix(hash, shape_hash(child));
    return hash;
  }
  const Instruction& i = node.instruction;
  std::uint64_t hash = mix(2, static_cast<std::uint64_t>(i.opcode));
  hash = mix(hash, i.dst.tensor * 1000003ull + i.dst.rows);
  hash = mix(hash, i.src[0].tensor * 1000003ull + i.src[0].rows);
  hash = mix(hash, i.wait.semaphore * 65537ull + i.post.semaphore);
  return mix(hash, i.accumulate ? 1 : 0);
}

bool same_shape(const Instruction& a, Instruction b) {
  for (std::size_t f = 0; f < kFieldCount; ++f) {
    const Field field = static_cast<Field>(f);
    b.field(field) = a.field(field);
  }
  return a == b;
}

// Replaces run after run of `period` nodes by a loop; true if anything was folded.
bool fold_period(NodeList& nodes, std::size_t period, std::uint8_t depth) {
  const std::size_t n = nodes.size();
  if (n < 3 * period) return false;
  std::vector<std::uint64_t> hashes(n);
  for (std::size_t i = 0; i < n; ++i) hashes[i] = shape_hash(nodes[i]);

  const auto continues = [&](std::size_t begin, std::size_t repetition) {
    const std::size_t at = begin + repetition * period;
    if (at + period > n) return false;
    for (std::size_t j = 0; j < period; ++j) {
      if (hashes[at + j] != hashes[begin + j] || !same_shape(nodes[begin + j], nodes[at + j])) return false;
      if (repetition >= 2 && !same_advance(nodes[at + j - 2 * period], nodes[at + j - period], nodes[at + j]))
        return false;
    }
    return true;
  };

  NodeList out;
  std::size_t i = 0;
  bool folded = false;
  while (i < n) {
    std::size_t repeat = 1;
    while (continues(i, repeat)) ++repeat;
    if (repeat < 3) {
      out.push_back(std::move(nodes[i]));
      ++i;
      continue;
    }
    Node loop;
    loop.repeat = repeat;
    for (std::size_t j = 0; j < period; ++j) {
      loop.body.push_back(nodes[i + j]);
      add_loop(loop.body.back(), nodes[i + j + period], depth);
    }
    out.push_back(std::move(loop));
    i += repeat * period;
    folded = true;
  }
  nodes = std::move(out);
  return folded;
}

}  // namespace

bool same_shape(const Node& a, const Node& b) {
  if (a.repeat != b.repeat || a.body.size() != b.body.size()) return false;
  if (!a.is_loop()) return same_shape(a.instruction, b.instruction);
  for (std::size_t i = 0; i < a.body.size(); ++i)
    if (!same_shape(a.body[i], b.body[i])) return false;
  return true;
}

bool same_advance(const Node& a, const Node& b, const Node& c) {
  if (a.is_loop()) {
    for (std::size_t i = 0; i < a.body.size(); ++i)
      if (!same_advance(a.body[i], b.body[i], c.body[i])) return false;
    return true;
  }
  for (std::size_t f = 0; f < kFieldCount; ++f) {
    const Field field = static_cast<Field>(f);
    const std::int64_t middle = b.instruction.field(field);
    if (middle - a.instruction.field(field) != c.instruction.field(field) - middle) return false;
  }
  return true;
}

void add_loop(Node& node, const Node& next, std::uint8_t depth) {
  if (node.is_loop()) {
    for (std::size_t i = 0; i < node.body.size(); ++i) add_loop(node.body[i], next.body[i], depth);
    return;
  }
  Instruction& instruction = node.instruction;
  for (AffineTerm& term : instruction.affine)
    if (term.loop >= depth) ++term.loop;
  for (std::size_t f = 0; f < kFieldCount; ++f) {
    const Field field = static_cast<Field>(f);
    const std::int64_t advance = next.instruction.field(field) - instruction.field(field);
    if (advance != 0) instruction.affine.push_back({field, depth, advance});
  }
  std::sort(instruction.affine.begin(), instruction.affine.end(),
            [](const AffineTerm& a, const AffineTerm& b) {
              return a.field != b.field ? a.field < b.field : a.loop < b.loop;
            });
}

void compress(NodeList& nodes, std::uint8_t depth, std::size_t max_period) {
  bool folded = true;
  while (folded) {
    folded = false;
    for (std::size_t period = 1; period <= std::min(max_period, nodes.size() / 3); ++period)
      folded = fold_period(nodes, period, depth) || folded;
  }
}

}  // namespace trn
