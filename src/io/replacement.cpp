// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/replacement.hpp>

#include <fcntl.h>
#include <sys/stat.h>

#include <optional>

#include "base/api_border.hpp"
#include "io/temporary.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;
using io::descriptor;
using io::fail_io;

/// @return the path to which symbolic links lead; it need not exist
fs::path follow(fs::path const& path) {
  constexpr int most_links = 40;  // the system follows the same number
  fs::path target = path;
  std::error_code failure;
  for (int links = 0; fs::is_symlink(target, failure); ++links) {
    auto const next = fs::read_symlink(target, failure);
    if (failure || links == most_links) fail_io(path, "cannot follow", failure ? failure.value() : ELOOP);
    target = target.parent_path() / next;
  }
  return target;
}

}  // namespace

struct replacement::state {
  fs::path path;  ///< as given, for messages
  fs::path name;  ///< the final name in the folder
  descriptor folder{-1};
  std::optional<mode_t> mode;  ///< permissions of the file to replace, if there is one
  std::optional<io::temporary> made;

  explicit state(fs::path const& given);
  descriptor& file() noexcept { return made->file; }
  void commit(bool flushed);
};

replacement::state::state(fs::path const& given) : path(given) {
  io::expect_no_zero(path);
  struct stat old {};
  bool const replaces = ::stat(path.c_str(), &old) == 0;
  if (!replaces && errno != ENOENT) fail_io(path, "cannot write");
  if (replaces && S_ISDIR(old.st_mode)) fail_io(path, "cannot write", EISDIR);
  // Renaming onto a device or a pipe would replace it.
  if (replaces && !S_ISREG(old.st_mode))
    throw io_error(fmt::format("{}: cannot write: not a regular file", path.string()));
  // Nothing is written to the old file. Opening it checks that the caller may write it and the disk is not read-only.
  if (replaces && !descriptor(::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK))) fail_io(path, "cannot write");

  auto const target = follow(path);
  auto const parent = target.has_parent_path() ? target.parent_path() : fs::path(".");
  name = target.filename();
  if (name.empty()) fail_io(path, "cannot write", ENOENT);
  folder = descriptor(::open(parent.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!folder) fail_io(path, "cannot write");
  made.emplace(folder, path, replaces ? 0600 : 0666);
  if (!replaces) return;

  // Take over the owner now, to fail before anything is written rather than afterwards.
  mode = old.st_mode & 0777;
  struct stat mine {};
  if (::fstat(file().get(), &mine) != 0) fail_io(path, "cannot examine");
  bool const same_owner = mine.st_uid == old.st_uid && mine.st_gid == old.st_gid;
  if (!same_owner && ::fchown(file().get(), old.st_uid, old.st_gid) != 0)
    fail_io(path, fmt::format("cannot keep its owner {} and group {}", old.st_uid, old.st_gid).c_str());
}

void replacement::state::commit(bool flushed) {
  // Open the folder first: after the rename nothing may fail that could have failed before it.
  descriptor const parent(flushed ? ::openat(folder.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1);
  if (flushed && !parent) fail_io(path, "cannot open its folder");
  if (mode && ::fchmod(file().get(), *mode) != 0) fail_io(path, "cannot set permissions");
  if (flushed && ::fsync(file().get()) != 0) fail_io(path, "cannot flush");
  // close() is the last chance of a network file system to report that the disk is full.
  if (!file().close()) fail_io(path, "cannot close");
  if (!made->rename(name)) fail_io(path, "cannot rename a temporary file to it");
  // Some file systems cannot flush a folder and say EINVAL.
  if (flushed && ::fsync(parent.get()) != 0 && errno != EINVAL)
    fail_io(path, "is written, but its folder cannot be flushed");
}

replacement::replacement(fs::path const& path)
    : state_(run_call("replacement", [&] { return std::make_unique<state>(path); })) {}

replacement::~replacement() = default;

int replacement::file() const noexcept { return state_->file().get(); }

void replacement::commit(durability how) {
  run_call("replacement::commit", [&] { state_->commit(how == durability::flushed); });
}

}  // namespace warpdex
