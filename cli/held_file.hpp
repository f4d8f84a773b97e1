// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/descriptor.hpp"

#include <string>

namespace warpdex::cli {

/// A file that is read to be replaced. One process holds it at a time and the others wait, so none replaces a version
/// that it has not seen. The lock is one of `flock`; on file systems without locks nobody waits.
class held_file {
 public:
  /// Waits until the file at `path` is this process's. @throws io_error
  explicit held_file(std::string path);

  /// To be called before the file is replaced. @throws io_error if another file has taken its place: by a process that
  /// takes no locks, or on a file system that has none
  void expect_in_place() const;

 private:
  bool in_place() const;

  std::string path_;
  io::descriptor file_{-1};
};

}  // namespace warpdex::cli
