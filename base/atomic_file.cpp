#include "base/atomic_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "base/error.h"

namespace trn {

// Named after this process: two that write the same file do not meet.
AtomicFile::AtomicFile(std::string path)
    : path_(std::move(path)),
      temporary_(path_ + '.' + std::to_string(getpid()) + ".partial"),
      out_(std::fopen(temporary_.c_str(), "wb")) {
  if (out_ == nullptr) fail(errno);
}

AtomicFile::~AtomicFile() {
  if (out_ != nullptr) std::fclose(out_);
  if (!committed_) std::remove(temporary_.c_str());
}

void AtomicFile::write(const char* data, std::size_t size) {
  bytes_ += size;
  if (error_ == 0 && std::fwrite(data, 1, size, out_) != size) error_ = errno;
}

void AtomicFile::finish() {
  if (out_ == nullptr) return;
  if (error_ == 0 && (std::fflush(out_) != 0 || fsync(fileno(out_)) != 0)) error_ = errno;
  if (std::fclose(out_) != 0 && error_ == 0) error_ = errno;
  out_ = nullptr;
  if (error_ != 0) fail(error_);
}

void AtomicFile::commit() {
  finish();
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) fail(errno);
  committed_ = true;
}

void AtomicFile::fail(int error) const {
  throw UsageError(path_ + ": cannot write this file: " + std::strerror(error) +
                   "; check the folder, its permissions and the space left");
}

void make_folder(const std::string& path) {
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed) throw UsageError(path + ": cannot make this folder: " + failed.message());
}

}  // namespace trn
