// A file that is written piece by piece and appears whole, or not at all.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace trn {

class AtomicFile {
 public:
  // Writes beside the target; a UsageError if that cannot be opened.
  explicit AtomicFile(std::string path);
  ~AtomicFile();  // without commit nothing is left
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // Never throws; a failure is told by commit.
  void write(const char* data, std::size_t size);
  std::uint64_t bytes() const { return bytes_; }
  // All has been written; a UsageError if not all could be.
  void finish();
  // Finishes it and renames it to the target.
  void commit();

 private:
  [[noreturn]] void fail(int error) const;

  std::string path_, temporary_;
  std::FILE* out_;
  int error_ = 0;  // the first
  std::uint64_t bytes_ = 0;
  bool committed_ = false;
};

// Makes the folder and those above it; a UsageError if that cannot be.
void make_folder(const std::string& path);

}  // namespace trn
