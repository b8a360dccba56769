// Several observers of one run.
#pragma once

#include <vector>

#include "models/core/engine/execution_observer.h"

namespace trn {

class Observers : public ExecutionObserver {
 public:
  explicit Observers(std::vector<ExecutionObserver*> all) : all_(std::move(all)) {}

  void issued(const IssuedInstruction& issued) override {
    for (ExecutionObserver* observer : all_) observer->issued(issued);
  }
  std::optional<std::int32_t> register_loaded(const IssuedInstruction& issued) override {
    std::optional<std::int32_t> found;
    for (ExecutionObserver* observer : all_)
      if (const auto value = observer->register_loaded(issued)) found = value;
    return found;
  }
  std::uint64_t transfer_triggered(const IssuedInstruction& issued, Picoseconds first_byte,
                                   const TransferShape& shape) override {
    std::vector<std::uint64_t>& numbers = numbers_.emplace_back();
    for (ExecutionObserver* observer : all_)
      numbers.push_back(observer->transfer_triggered(issued, first_byte, shape));
    return numbers_.size() - 1;
  }
  void transfer_done(std::uint64_t transfer, Picoseconds started, Picoseconds now) override {
    for (std::size_t i = 0; i < all_.size(); ++i) all_[i]->transfer_done(numbers_[transfer][i], started, now);
  }

 private:
  std::vector<ExecutionObserver*> all_;
  std::vector<std::vector<std::uint64_t>> numbers_;  // by transfer: each observer's own number
};

}  // namespace trn
