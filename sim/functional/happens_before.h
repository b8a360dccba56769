// Who is known to have happened when an instruction issues, by what the program's semaphores guarantee in
// every execution and not only in the one that was observed.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "isa/program.h"

namespace trn {

// An instruction or a transfer in the order of issue. A transfer stands for its bytes; the DMA instruction
// that triggers it is another step.
struct ExecutionStep {
  std::uint32_t core = 0;
  Engine engine = Engine::kTensor;  // of a transfer: the one that triggered it
  bool transfer = false;
  std::uint32_t trigger = 0;  // of a transfer: the step that triggered it
  Instruction instruction;    // loop terms applied
};

// Clocks count, a component each: how many instructions of an engine have read their operands, how many have
// completed, and how many transfers of a queue on a semaphore have arrived.
class HappensBefore {
 public:
  HappensBefore(const std::vector<ExecutionStep>& steps, std::size_t cores);

  // Did `earlier` read its operands, or write its results, before `later` starts, in every execution?
  bool read_before(std::uint32_t earlier, std::uint32_t later) const;
  bool complete_before(std::uint32_t earlier, std::uint32_t later) const;

 private:
  using Clock = std::vector<std::uint32_t>;
  struct Place {           // of a step in the clocks
    std::uint32_t read;    // component
    std::uint32_t done;    // component
    std::uint32_t number;  // its count in both
  };
  struct Arrival {  // of a post
    std::uint32_t step;
    std::uint32_t thread;     // posts of one thread arrive in order
    std::uint32_t increment;  // of one lane
    std::uint32_t lanes;      // a transfer's 16 engines count separately
  };

  void number_steps(std::size_t cores);
  void collect_posts();
  void pass(const std::vector<Clock>* before);
  void wait(std::uint32_t step, Clock& clock, const std::vector<Clock>* before);
  std::size_t epoch(std::uint32_t core, std::uint16_t semaphore, std::uint32_t step) const;
  bool issued_after(std::uint32_t post_step, std::uint32_t wait_step, const std::vector<Clock>* before) const;
  bool needs(const Arrival& later, const Arrival& earlier, const std::vector<Clock>* before) const;

  const std::vector<ExecutionStep>& steps_;
  std::vector<Place> places_;
  std::vector<Clock> clocks_;                                                      // at issue, by step
  std::map<std::pair<std::uint32_t, std::uint16_t>, std::vector<Arrival>> posts_;  // by (core, semaphore)
  std::map<std::pair<std::uint32_t, std::uint16_t>, std::vector<std::uint32_t>> clears_;  // steps, likewise
  std::size_t components_ = 0;
};

}  // namespace trn
