// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

namespace warpdex::io {

class descriptor;

/// A file that is mapped into memory to be read. A read of pages that the file has lost ends the process (`SIGBUS`). So
/// whoever is about to read it asks first whether the file is still as long as it was. It may shrink between the
/// question and the read; then the process ends nevertheless.
class mapping {
 public:
  /// @param bytes the length of the file, not 0
  /// @throws io_error, out_of_memory
  mapping(std::filesystem::path const& path, std::shared_ptr<descriptor const> file, std::uint64_t bytes);
  ~mapping();
  mapping(mapping const&) = delete;
  mapping& operator=(mapping const&) = delete;

  std::byte const* data() const noexcept { return data_; }

  /// @throws io_error if the file has become shorter
  void expect_whole() const;

 private:
  std::string path_;
  std::shared_ptr<descriptor const> file_;
  std::uint64_t bytes_;
  std::byte const* data_ = nullptr;
};

}  // namespace warpdex::io
