// Which transfer or collective an instruction stood still for.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "base/units.h"

namespace trn {

// The posts of transfers and collectives on one core's semaphores. Waits must be asked for in order of time,
// and after every post that may have ended them.
class PendingPosts {
 public:
  explicit PendingPosts(std::size_t semaphores) : posts_(semaphores) {}

  struct Post {
    Picoseconds visible;
    std::uint64_t arrow = 0;
  };

  void post(std::uint16_t semaphore, Picoseconds visible, std::uint64_t arrow) {
    std::deque<Post>& posts = posts_[semaphore];
    while (posts.size() > 1 && posts[1].visible <= asked_) posts.pop_front();
    posts.push_back({visible, arrow});
  }

  // The post at which a wait ended that was over at `ready`, the first edge of a clock of this period from
  // then on; no arrow if an engine's post ended it. Told once.
  Post ended(std::uint16_t semaphore, Picoseconds ready, Picoseconds period) {
    asked_ = ready;
    std::deque<Post>& posts = posts_[semaphore];
    while (posts.size() > 1 && posts[1].visible <= ready) posts.pop_front();
    if (posts.empty() || ready < posts[0].visible || posts[0].visible + period <= ready) return {};
    const Post post = posts[0];
    posts.pop_front();
    return post;
  }

 private:
  std::vector<std::deque<Post>> posts_;  // by semaphore; of those that are over, the last
  Picoseconds asked_;
};

}  // namespace trn
