// Finds the loops in a straight instruction stream.
#pragma once

#include <cstddef>

#include "isa/program.h"

namespace trn {

// Folds neighbouring repetitions that differ only in affinely advancing fields into loops, innermost first.
// expand(compress(x)) == expand(x). `depth` is the number of loops around the list.
void compress(NodeList& nodes, std::uint8_t depth = 0);

// True if b is a with other values in its fields (wait value, offsets, rows): candidates for one loop.
bool same_shape(const Node& a, const Node& b);
// True if b - a and c - b are the same advance in every field.
bool same_advance(const Node& a, const Node& b, const Node& c);
// Adds the terms that make `node` advance by (next - node) with a new loop at `depth` around it.
void add_loop(Node& node, const Node& next, std::uint8_t depth);

}  // namespace trn
