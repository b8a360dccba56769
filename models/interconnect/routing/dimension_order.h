// Routes of a product of dimensions: the last dimension is put right first.
#pragma once

#include "models/interconnect/routing/routes.h"

namespace trn {

// The short way round a ring; half-way offsets go both ways, half each.
Route dimension_order_route(const Topology& topology, std::uint64_t from, std::uint64_t to);

}  // namespace trn
