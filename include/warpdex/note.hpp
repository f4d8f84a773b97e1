// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/index.hpp>

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Notes in index files: a text that means something to those who wrote the file, such as the unit of keys that are
/// times. The library keeps notes and does not read them.
namespace warpdex {

inline constexpr std::size_t max_note_bytes = 4096;  ///< most characters of a note

/// `index::save` with a note.
/// @param note at most `max_note_bytes` characters of printable ASCII, in lines
/// @throws as `index::save`; invalid_argument for another note
void save(index const& from, std::filesystem::path const& path, std::string_view note);

/// The same for the bytes of a file.
std::vector<std::byte> save(index const& from, std::string_view note);

/// @return the note of an index file; empty if it has none. Cost: reads the header,
/// and a note of more than 16 characters.
/// @throws io_error, format_error
std::string note_of(std::filesystem::path const& path);

/// The same for the bytes of a file. @throws format_error
std::string note_of(std::span<std::byte const> bytes);

}  // namespace warpdex
