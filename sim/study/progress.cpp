#include "sim/study/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace trn {
namespace {

std::string duration_text(double seconds) {
  const auto s = static_cast<long>(seconds + 0.5);
  if (s < 60) return fmt::format("{} s", s);
  if (s < 3600) return fmt::format("{} min {} s", s / 60, s % 60);
  return fmt::format("{} h {} min", s / 3600, s % 3600 / 60);
}

}  // namespace

Progress::Progress(std::string what, std::size_t total)
    : what_(std::move(what)), total_(total), shown_(total > 1 && isatty(STDERR_FILENO) == 1) {}

Progress::~Progress() {
  if (shown_ && done_ > 0) fmt::print(stderr, "\r\x1b[K");
}

void Progress::one_done(bool ok) {
  ++done_;
  if (!ok) ++failed_;
  if (!shown_) return;
  const double elapsed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  const double left = elapsed / static_cast<double>(done_) * static_cast<double>(total_ - done_);
  fmt::print(stderr, "\r\x1b[K{}: {} of {} done, {} failed, {} left", what_, done_, total_, failed_,
             duration_text(left));
  std::fflush(stderr);
}

}  // namespace trn
