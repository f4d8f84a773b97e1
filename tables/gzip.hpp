// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

/// @file
/// Files that are packed by gzip. They are unpacked if the build has zlib.
namespace warpdex::tables {

/// @return whether bytes begin as gzip's do
constexpr bool is_gzip(std::string_view bytes) noexcept { return bytes.starts_with("\x1f\x8b\x08"); }

/// What a packed file holds.
struct unpacked_bytes {
  std::unique_ptr<char[]> bytes;
  std::size_t size = 0;
};

/// Unpacks all members of a file, after which zeros may follow.
/// @param path for messages
/// @throws format_error for damaged or cut data, for anything else that follows a member, or in a build without zlib;
/// out_of_memory
unpacked_bytes unpack_gzip(std::string const& path, std::string_view packed);

}  // namespace warpdex::tables
