// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/memory.hpp>

#include <filesystem>
#include <memory>
#include <utility>

namespace warpdex {

namespace io {
class mapping;
}
class index;

/// Maps a file of keys into memory, where `index::over_sorted` can search it. The file holds nothing but keys, in the
/// byte order of this machine, and must not change while it is mapped. If it becomes shorter, calls of an index over
/// this object throw io_error: each batch looks at its length first. A file cut during a batch ends the process.
class mapped_column {
 public:
  /// @param reader who reads the column. The CPU loads the pages of the file as it comes across them. For CUDA they are
  /// all loaded and locked, so that they have to fit into host memory, and all devices reach them.
  /// @throws io_error if the file cannot be opened or mapped, or is no regular file; format_error if it ends within a
  /// key; out_of_memory if its pages cannot be locked; device_error, also if the device cannot read locked files;
  /// unsupported for CUDA if the library was built without it; invalid_argument for an unknown type
  mapped_column(std::filesystem::path const& path, key_type type, backend_kind reader);
  ~mapped_column();

  /// Takes over the mapping. What was moved from holds no file and no keys.
  /// @{
  mapped_column(mapped_column&& other) noexcept { swap(other); }
  mapped_column& operator=(mapped_column&& other) noexcept {
    swap(other);
    return *this;
  }
  /// @}

  /// @return the keys; valid while this object lives
  column keys() const noexcept { return keys_; }

 private:
  friend class index;

  mapped_column() = default;
  void swap(mapped_column& other) noexcept {
    std::swap(file_, other.file_);
    std::swap(keys_, other.keys_);
    std::swap(locked_, other.locked_);
  }

  std::shared_ptr<io::mapping const> file_;  ///< null for an empty file
  column keys_;
  bool locked_ = false;
};

}  // namespace warpdex
