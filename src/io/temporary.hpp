// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "io/descriptor.hpp"

/// @file
/// Files in the making. Their names are `.warpdex-<16 hexadecimal digits>.tmp`, with a number that nobody can guess.
namespace warpdex::io {

struct list_place;

/// Holds an element of the list of new files, which a signal handler may read at any time, if one was free.
class listing {
 public:
  listing() noexcept;
  listing(listing const&) = delete;
  ~listing();

  void set(int folder, std::uint64_t number) noexcept;

 private:
  void show(int folder, std::uint64_t number) noexcept;

  list_place* place_ = nullptr;
};

/// A new file under its temporary name. It is removed in the end unless it was renamed. Until then it is locked
/// (`flock`), also while it is closed, so that it can be told from what killed processes have left.
class temporary {
 public:
  /// @param folder a descriptor that outlives the file
  /// @param path for messages
  /// @throws io_error
  temporary(descriptor const& folder, std::filesystem::path const& path, mode_t mode);
  temporary(temporary const&) = delete;
  ~temporary();

  /// @return the number in its name
  std::uint64_t number() const noexcept { return number_; }

  /// @return false with errno set if it cannot be renamed
  bool rename(std::filesystem::path const& name) noexcept;

  descriptor file{-1};

 private:
  int folder_;
  std::uint64_t number_ = 0;
  listing listing_;
  descriptor lock_{-1};
  bool in_place_ = false;
};

/// @return the number in the name of a temporary file; none in other names
std::optional<std::uint64_t> temporary_number(std::string_view name) noexcept;

/// Removes a temporary file that no process is making.
/// @return whether no process is making a file of that number; false if the file system does not tell
bool remove_abandoned(descriptor const& folder, std::uint64_t number) noexcept;

}  // namespace warpdex::io
