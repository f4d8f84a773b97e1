// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "held_file.hpp"

#include <warpdex/error.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <thread>
#include <utility>

namespace warpdex::cli {
namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

enum class attempt { locked, held_by_another, no_locks };

struct flock whole_file() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  return lock;
}

/// @throws io_error
attempt try_to_lock(tables::descriptor const& file, std::string const& path) {
  struct flock lock = whole_file();
  while (::fcntl(file.get(), F_OFD_SETLK, &lock) != 0) {
    if (errno == EINTR) continue;
    if (errno == EAGAIN || errno == EACCES) return attempt::held_by_another;
    if (errno == ENOLCK || errno == ENOSYS || errno == EOPNOTSUPP || errno == EINVAL) return attempt::no_locks;
    tables::fail_io(path, "cannot lock");
  }
  return attempt::locked;
}

/// @return who holds the lock, for messages
std::string holder_of(tables::descriptor const& file) {
  struct flock lock = whole_file();
  if (::fcntl(file.get(), F_OFD_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return "another process";
  std::string const who =
      lock.l_type == F_WRLCK ? "another update" : "a process that may only read it, by a shared lock";
  return lock.l_pid > 0 ? fmt::format("{} (process {})", who, lock.l_pid) : who;
}

}  // namespace

// Locks that are asked for again and again have a time limit without a signal.
held_file::held_file(std::string path, std::chrono::seconds most,
                     std::function<void(std::string const&)> const& waiting)
    : path_(std::move(path)) {
  auto const begin = steady_clock::now();
  bool told = false;
  for (;;) {
    // After waiting, the lock may be that of a file that was replaced meanwhile. Without O_NONBLOCK a pipe would wait
    // here for a reader.
    file_ = tables::descriptor(::open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NONBLOCK));
    if (!file_) tables::fail_io(path_, "cannot open for an update");
    attempt const result = try_to_lock(file_, path_);
    if (result == attempt::no_locks || (result == attempt::locked && in_place())) return;
    auto const waited = steady_clock::now() - begin;
    if (result == attempt::held_by_another && waited >= most)
      throw io_error(fmt::format("{}: waited {} s for its lock, which {} holds; it is left as it is", path_,
                                 most.count(), holder_of(file_)));
    if (!told && waited >= 1s) {
      waiting(fmt::format("waiting for the lock of {}, which {} holds", path_, holder_of(file_)));
      told = true;
    }
    std::this_thread::sleep_for(10ms);
  }
}

void held_file::expect_in_place() const {
  if (!in_place()) throw io_error(path_ + ": another file has taken its place since it was read; it is left as it is");
}

bool held_file::in_place() const {
  struct stat held {};
  struct stat named {};
  if (::fstat(file_.get(), &held) != 0) tables::fail_io(path_, "cannot examine");
  if (::stat(path_.c_str(), &named) != 0 && errno != ENOENT) tables::fail_io(path_, "cannot examine");
  return held.st_dev == named.st_dev && held.st_ino == named.st_ino;
}

}  // namespace warpdex::cli
