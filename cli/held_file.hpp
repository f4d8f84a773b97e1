// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tables/descriptor.hpp"

#include <chrono>
#include <functional>
#include <string>

namespace warpdex::cli {

/// A file that is read to be replaced. One process holds it at a time and the others wait, so none replaces a version
/// that it has not seen. The lock is one of `fcntl` for writing, of the open file, which only those get who may write
/// the file. On file systems without locks nobody waits.
class held_file {
 public:
  /// Waits until the file at `path` is this process's.
  /// @param most time to wait
  /// @param waiting called once with what is waited for, if that takes longer than a second
  /// @throws io_error, also when the time is over
  held_file(std::string path, std::chrono::seconds most, std::function<void(std::string const&)> const& waiting);

  /// To be called before the file is replaced. @throws io_error if another file has taken its place: by a process that
  /// takes no locks, or on a file system that has none
  void expect_in_place() const;

 private:
  bool in_place() const;

  std::string path_;
  tables::descriptor file_{-1};
};

}  // namespace warpdex::cli
