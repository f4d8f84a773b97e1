// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "held_file.hpp"

#include <warpdex/error.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

namespace warpdex::cli {
namespace {

/// @return whether the lock is held. @throws io_error
bool lock(io::descriptor const& file, std::string const& path) {
  while (::flock(file.get(), LOCK_EX) != 0) {
    if (errno == EINTR) continue;
    if (errno == ENOLCK || errno == ENOSYS || errno == EOPNOTSUPP || errno == EINVAL) return false;
    io::fail_io(path, "cannot lock");
  }
  return true;
}

}  // namespace

held_file::held_file(std::string path) : path_(std::move(path)) {
  // After waiting, the lock may be that of a file that was replaced meanwhile. Network file systems lock exclusively
  // only files that are open for writing. Without O_NONBLOCK a pipe would wait here for a reader.
  bool locked = false;
  do {
    file_ = io::descriptor(::open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
    if (!file_) io::fail_io(path_, "cannot open for an update");
    locked = lock(file_, path_);
  } while (locked && !in_place());
}

void held_file::expect_in_place() const {
  if (!in_place()) throw io_error(path_ + ": another file has taken its place since it was read; it is left as it is");
}

bool held_file::in_place() const {
  struct stat held {};
  struct stat named {};
  if (::fstat(file_.get(), &held) != 0) io::fail_io(path_, "cannot examine");
  if (::stat(path_.c_str(), &named) != 0 && errno != ENOENT) io::fail_io(path_, "cannot examine");
  return held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

}  // namespace warpdex::cli
