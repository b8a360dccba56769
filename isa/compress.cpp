#include "isa/compress.h"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>

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

bool same_pattern_shape(const AccessPattern& a, const AccessPattern& b) {
  return a.tensor == b.tensor && a.rows == b.rows && a.dim_count == b.dim_count && a.dims == b.dims &&
         a.reg == b.reg;
}

// Everything but the fields that may advance.
bool same_shape(const Instruction& a, const Instruction& b) {
  return a.same_form(b) && a.wait.semaphore == b.wait.semaphore && a.wait.reg == b.wait.reg &&
         a.affine == b.affine && same_pattern_shape(a.dst, b.dst) && same_pattern_shape(a.src[0], b.src[0]) &&
         same_pattern_shape(a.src[1], b.src[1]) && same_pattern_shape(a.src[2], b.src[2]);
}

// Numbers shapes: equal numbers are equal shapes.
class ShapeNumbers {
 public:
  std::uint32_t of(const Node& node) {
    std::vector<std::uint32_t>& same_hash = by_hash_[shape_hash(node)];
    for (const std::uint32_t number : same_hash)
      if (trn::same_shape(representatives_[number], node)) return number;
    same_hash.push_back(static_cast<std::uint32_t>(representatives_.size()));
    representatives_.push_back(node);
    return same_hash.back();
  }

 private:
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> by_hash_;  // looked up, never walked
  std::vector<Node> representatives_;
};

// A stream with the shape number of every node.
struct NumberedNodes {
  NodeList nodes;
  std::vector<std::uint32_t> shapes;
};

// How often the `period` nodes from `begin` on repeat, affinely, at once after another.
std::size_t repetitions(const NumberedNodes& in, std::size_t begin, std::size_t period) {
  const NodeList& nodes = in.nodes;
  for (std::size_t repeat = 1;; ++repeat) {
    const std::size_t at = begin + repeat * period;
    if (at + period > nodes.size()) return repeat;
    for (std::size_t j = 0; j < period; ++j) {
      if (in.shapes[at + j] != in.shapes[begin + j]) return repeat;
      if (repeat >= 2 && !same_advance(nodes[at + j - 2 * period], nodes[at + j - period], nodes[at + j]))
        return repeat;
    }
  }
}

// Replaces run after run of `period` nodes by a loop, in place: what is kept moves down behind the loops.
// True if anything was folded.
bool fold_period(NumberedNodes& in, std::size_t period, std::uint8_t depth, ShapeNumbers& numbers) {
  NodeList& nodes = in.nodes;
  const std::size_t n = nodes.size();
  std::size_t written = 0;
  std::size_t kept = 0;  // nodes before this are among the written ones
  const auto keep_until = [&](std::size_t end) {
    if (written == kept) written = kept = end;  // nothing folded so far
    for (; kept < end; ++kept, ++written) {
      nodes[written] = std::move(nodes[kept]);
      in.shapes[written] = in.shapes[kept];
    }
  };
  for (std::size_t i = 0; i + 3 * period <= n;) {
    const std::size_t repeat = in.shapes[i] == in.shapes[i + period] ? repetitions(in, i, period) : 1;
    if (repeat < 3) {
      ++i;
      continue;
    }
    keep_until(i);
    Node loop;
    loop.repeat = repeat;
    loop.body.reserve(period);
    for (std::size_t j = 0; j < period; ++j) {
      loop.body.push_back(std::move(nodes[i + j]));
      add_loop(loop.body.back(), nodes[i + j + period], depth);
    }
    in.shapes[written] = numbers.of(loop);
    nodes[written++] = std::move(loop);
    i += repeat * period;
    kept = i;
  }
  if (written == kept) return false;
  keep_until(n);
  nodes.erase(nodes.begin() + static_cast<std::ptrdiff_t>(written), nodes.end());
  in.shapes.resize(written);
  return true;
}

// Lengths at which the stream may repeat, ascending: the distances at which shapes come back, as far as
// enough nodes agree on one that a loop of that length could pay.
std::vector<std::size_t> periods(const std::vector<std::uint32_t>& shapes) {
  constexpr std::size_t kBack = 4;  // a shape may stand in a body this often
  constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
  const std::size_t limit = shapes.size() / 3;
  std::vector<std::array<std::size_t, kBack>> seen(
      shapes.empty() ? 0 : *std::max_element(shapes.begin(), shapes.end()) + std::size_t{1});
  for (auto& places : seen) places.fill(kNever);
  std::vector<std::uint32_t> agree(limit + 1);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    auto& places = seen[shapes[i]];
    for (const std::size_t place : places)
      if (place != kNever && i - place <= limit) ++agree[i - place];
    std::copy_backward(places.begin(), places.end() - 1, places.end());
    places[0] = i;
  }
  std::vector<std::size_t> out;
  for (std::size_t period = 1; period <= limit; ++period)
    if (agree[period] >= std::max<std::size_t>(2, period / 4)) out.push_back(period);
  return out;
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

void compress(NodeList& nodes, std::uint8_t depth) {
  // A jump counts the nodes of its list: folding would move its target.
  if (std::any_of(nodes.begin(), nodes.end(),
                  [](const Node& n) { return !n.is_loop() && info(n.instruction.opcode).jumps; }))
    return;
  ShapeNumbers numbers;
  NumberedNodes numbered;
  numbered.shapes.reserve(nodes.size());
  for (const Node& node : nodes) numbered.shapes.push_back(numbers.of(node));
  numbered.nodes = std::move(nodes);
  bool folded = true;
  while (folded) {
    folded = false;
    std::vector<std::size_t> lengths = periods(numbered.shapes);
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const std::size_t period = lengths[i];
      if (!fold_period(numbered, period, depth, numbers)) continue;
      folded = true;
      lengths = periods(numbered.shapes);
      i = static_cast<std::size_t>(std::upper_bound(lengths.begin(), lengths.end(), period) -
                                   lengths.begin()) -
          1;
    }
  }
  numbered.nodes.shrink_to_fit();  // the unrolled stream was far longer
  nodes = std::move(numbered.nodes);
}

}  // namespace trn
