// A line on stderr, when that is a terminal: how many are done, how many failed, and how long the rest takes.
#pragma once

#include <chrono>
#include <string>

namespace trn {

class Progress {
 public:
  Progress(std::string what, std::size_t total);
  ~Progress();  // ends the line
  void one_done(bool ok);

 private:
  std::string what_;
  std::size_t total_, done_ = 0, failed_ = 0;
  bool shown_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace trn
