// Whether what a schedule does from one chip is what it does from every chip.
#pragma once

#include "models/interconnect/collectives/group.h"
#include "models/interconnect/collectives/schedule/schedule.h"
#include "models/interconnect/routing/routes.h"

namespace trn {

// On a machine of chips alike and a group on all of them: the steps of every chip's ranks together take the
// same ways, by class of link and latency. Not so for a ring that leaves one chip over a switch and the next
// over a cable, and for rank r + 1 on a torus, which at the end of a row is two hops away.
bool partners_alike(const Schedule& schedule, const Group& group, const Topology& topology,
                    const Routes& routes);

}  // namespace trn
