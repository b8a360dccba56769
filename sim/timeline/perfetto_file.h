// Writes a Perfetto trace as a stream: packets go out as they come, in constant memory.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/units.h"
#include "sim/timeline/run_events.h"

namespace trn {

// A value that a slice carries.
struct SliceNote {
  const char* name;
  std::uint64_t number = 0;
  const std::string* text = nullptr;  // instead of the number
};

// What is on a track; it must follow the others of its track or nest in them (Lanes). Perfetto's times are
// nanoseconds: both ends are rounded down, which keeps order and nesting, and notes give them in picoseconds.
struct Slice {
  std::uint64_t track = 0;
  Picoseconds begin, end;
  std::string_view name;
  const std::string* category = nullptr;
  std::vector<SliceNote> notes{};
  ArrowId leaves = 0, passes = 0, arrives = 0;  // arrows
};

class PerfettoFile {
 public:
  // Past `limit` bytes nothing is written any more, and commit refuses. UsageError if it cannot be opened.
  PerfettoFile(const std::string& path, std::uint64_t limit);
  ~PerfettoFile();

  // Tracks of a parent are shown in the order of their ranks. They return the track's number.
  std::uint64_t add_process(const std::string& name);
  std::uint64_t add_track(std::uint64_t parent, const std::string& name, int order);
  std::uint64_t add_counter(std::uint64_t parent, const std::string& name, const std::string& unit,
                            int order);

  void add(const Slice& slice);
  void set_counter(std::uint64_t track, Picoseconds time, double value);

  std::uint64_t slices() const { return slices_; }
  std::uint64_t bytes() const { return file_.bytes(); }
  bool full() const { return full_; }
  Picoseconds reached() const { return reached_; }  // latest begin of a slice that was written
  // UsageError if not all could be written. The caller has asked whether it is full.
  void commit() { file_.commit(); }

 private:
  struct Messages;  // reused
  class Interned;

  void put();

  AtomicFile file_;
  std::uint64_t limit_;
  std::unique_ptr<Messages> messages_;
  std::unique_ptr<Interned> interned_;
  std::uint64_t tracks_ = 0, slices_ = 0;
  std::int32_t processes_ = 0;
  bool full_ = false;
  Picoseconds reached_;
};

}  // namespace trn
