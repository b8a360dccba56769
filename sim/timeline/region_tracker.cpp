#include "sim/timeline/region_tracker.h"

#include <algorithm>
#include <utility>

namespace trn {

void RegionTracker::issued(Engine engine, std::uint32_t region, Picoseconds start, Picoseconds complete) {
  const std::size_t e = index_of(engine);
  const std::uint32_t bit = 1u << e;
  const bool in_one = (somewhere_ & bit) != 0;
  if (!in_one || at_[e]->region != region || passed_by(at_[e], bit)) {
    if (in_one) leave(e);
    at_[e] = enter(bit, region, start);
    somewhere_ |= bit;
  }
  at_[e]->end = std::max(at_[e]->end, complete);
}

// Alone in a pass, while a later one through the same region has begun.
bool RegionTracker::passed_by(Place place, std::uint32_t engine_bit) const {
  if (place->inside != engine_bit) return false;
  for (std::list<Pass>::const_iterator later = std::next(place); later != open_.end(); ++later)
    if (later->region == place->region && (later->been & engine_bit) == 0) return true;
  return false;
}

void RegionTracker::leave(std::size_t engine) {
  const Place place = at_[engine];
  place->inside &= ~(1u << engine);
  close_former(place);
}

RegionTracker::Place RegionTracker::joinable(std::uint32_t engine_bit, std::uint32_t region) {
  Place found = open_.end();
  for (Place place = open_.begin(); place != open_.end(); ++place) {
    if (place->region != region || (place->been & engine_bit) != 0) continue;
    if (place->under_way()) return place;
    found = place;
  }
  return found;
}

RegionTracker::Place RegionTracker::enter(std::uint32_t engine_bit, std::uint32_t region, Picoseconds start) {
  Place place = joinable(engine_bit, region);
  if (place == open_.end()) place = open_.insert(open_.end(), {region, start, start, 0, 0, 0});
  place->inside |= engine_bit;
  place->been |= engine_bit;
  return place;
}

RegionTracker::Pass* RegionTracker::transfer_triggered(Engine engine) {
  Pass& pass = *at_[index_of(engine)];
  ++pass.transfers;
  return &pass;
}

void RegionTracker::transfer_done(Pass* pass, Picoseconds now) {
  pass->end = std::max(pass->end, now);
  --pass->transfers;
  const Place place =
      std::find_if(open_.begin(), open_.end(), [&](const Pass& candidate) { return &candidate == pass; });
  close_former(place);
}

// Once a pass is over, nobody joins an older one of its region any more.
void RegionTracker::close_former(Place place) {
  if (place->under_way()) return;
  for (Place former = open_.begin(); former != place;) {
    const Place next = std::next(former);
    if (former->region == place->region && !former->under_way()) {
      done_(*former);
      open_.erase(former);
    }
    former = next;
  }
}

void RegionTracker::finish() {
  for (const Pass& pass : open_) done_(pass);
  open_.clear();
  somewhere_ = 0;
}

}  // namespace trn
