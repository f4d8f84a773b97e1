// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "io/descriptor.hpp"
#include "io/mapping.hpp"

namespace warpdex::io {

/// A file that a call writes and reads again, in a folder where it has no name. It ends with its last owner, however
/// that ends.
class scratch_file {
 public:
  /// @throws io_error with the folder and the reason; out_of_memory
  explicit scratch_file(std::filesystem::path const& folder);

  /// Writes bytes at a position, also over those that are there.
  /// @throws io_error with the folder, such as one on a disk that is full
  void write(void const* data, std::uint64_t bytes, std::uint64_t at);

  /// @return the first bytes in memory, of which there are some and all were written. What is written there later can
  /// be seen too
  std::shared_ptr<mapping const> map(std::uint64_t bytes) const;

 private:
  std::filesystem::path folder_;
  std::shared_ptr<descriptor const> file_;
};

}  // namespace warpdex::io
