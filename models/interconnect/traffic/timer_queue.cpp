#include "models/interconnect/traffic/timer_queue.h"

namespace trn {

void TimerQueue::push(Picoseconds at, Owner owner) {
  std::uint32_t request = free_;
  if (request == kEnd) {
    request = static_cast<std::uint32_t>(requests_.size());
    requests_.push_back({owner});
  } else {
    free_ = requests_[request].next;
    requests_[request] = {owner};
  }
  Open& open = open_of(at);
  if (open.at == at) {
    requests_[open.last].next = request;
  } else {
    due_.push({at, next_serial_++, request});
    open = {at, request, request};
  }
  open.last = request;
}

void TimerQueue::pop(std::vector<Owner>& owners) {
  const Due due = due_.top();
  due_.pop();
  Open& open = open_of(due.at);
  if (open.first == due.first) open = {};
  owners.clear();
  for (std::uint32_t r = due.first; r != kEnd;) {
    owners.push_back(requests_[r].owner);
    const std::uint32_t next = requests_[r].next;
    requests_[r].next = free_;
    free_ = r;
    r = next;
  }
}

}  // namespace trn
