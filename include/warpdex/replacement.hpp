// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>

/// @file
/// Files that appear under their names when they are complete, as `index::save` writes them.
namespace warpdex {

/// A new file that replaces another one, or takes a free name, when it is complete.
///
/// It is written in the same folder under a name that nobody can guess. `commit` renames it; without `commit` it is
/// removed. If it replaces a file, it takes over the owner and the permissions of that file. It gets the permissions
/// only at the end. Until then only the owner can open it, so nobody can read the new file who may not read the old
/// one. If it replaces none, it has the permissions that the umask leaves.
class replacement {
 public:
  /// @param path the file to replace or to make; a symbolic link is followed, also one that leads to nothing yet
  /// @throws io_error with the path and the reason: the file cannot be made, is no regular file, the caller may not
  /// write it (a rename would not check that), or its owner or group cannot be kept; out_of_memory
  explicit replacement(std::filesystem::path const& path);
  ~replacement();

  replacement(replacement const&) = delete;
  replacement& operator=(replacement const&) = delete;

  /// @return the descriptor of the new file, to be written to
  int file() const noexcept;

  /// How far a file is written when `commit` returns: as far as the system does by itself, or to the disk.
  enum class durability { of_the_system, flushed };

  /// Closes the file and renames it to `path`. May be called once.
  /// @param how whether to flush the file to the disk before the rename, and its folder after it
  /// @throws io_error, out_of_memory
  void commit(durability how);

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Removes the new files of all unfinished replacements and of `index::save`, or of the first 64 if there are more. It
/// is safe in a signal handler and meant for a process that is about to end: later writes to these files are lost.
void remove_unfinished() noexcept;

}  // namespace warpdex
