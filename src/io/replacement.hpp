// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/descriptor.hpp"

#include <sys/types.h>

#include <filesystem>
#include <memory>
#include <optional>

namespace warpdex::io {

/// A new file that takes the place of another, or of none, when it is complete.
///
/// It is written in the same folder under a name that nobody can guess, and renamed by `commit`; without `commit`
/// it is removed. A file that is replaced lends its owner and its permissions, these at the end: before, only the
/// owner can open the new file, so that nobody reads there what he may not read here. A file that replaces none is
/// made with the permissions that the umask leaves.
class replacement {
 public:
  /// @param path what to replace or to make; a symbolic link is followed, also one that leads to nothing yet
  /// @throws io_error naming the path and the reason: it cannot be made, is no regular file, may not be written by
  /// the caller (a rename would not ask), or its owner or group cannot be kept
  explicit replacement(std::filesystem::path const& path);
  ~replacement();

  replacement(replacement const&) = delete;
  replacement& operator=(replacement const&) = delete;

  /// The new file, to be written to.
  descriptor const& file() const noexcept;

  enum class durability { of_the_system, flushed };

  /// Puts the file in its place, once.
  /// @param how whether to flush the file to the disk before, and its folder afterwards
  /// @throws io_error
  void commit(durability how);

 private:
  class temporary;

  std::filesystem::path path_;  ///< as given, for messages
  std::filesystem::path name_;  ///< the place in the folder
  descriptor folder_{-1};
  std::optional<mode_t> mode_;  ///< of the file that is replaced, if there is one
  std::unique_ptr<temporary> new_;
};

/// Removes the new files of all replacements that are not in their places, of the first 64 if there are more. For a
/// signal handler of a process that is about to end: it is safe there, and what is written afterwards is lost.
void remove_unfinished() noexcept;

}  // namespace warpdex::io
