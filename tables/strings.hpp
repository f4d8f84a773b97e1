// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cells.hpp"
#include "file.hpp"

#include <warpdex/column.hpp>

#include <cstdint>
#include <string>
#include <string_view>

/// @file
/// Columns of byte strings. All of them have offsets of 64 bits.
namespace warpdex::tables {

/// @return the bytes of each cell, with single quotes in place of the doubled ones of quoted cells. None is trimmed,
/// and empty cells are empty strings
byte_strings strings_of(cell_column const& column);

/// @return whether a path is taken as the bytes of strings whose offsets are another file: it ends with `.bytes`
bool is_string_file(std::string_view path) noexcept;

/// @return the path of the offsets: `.offsets` in the place of `.bytes`
std::string offsets_path(std::string_view path);

/// @param bytes the strings, one after the other
/// @param offsets where each string begins, and where the last ends: little-endian numbers of 64 bits
/// @return a column of the bytes of both files, which must outlive it
/// @throws format_error if the offsets are no such numbers, descend, leave the bytes, or make a string too long
column join_string_files(file_bytes const& bytes, file_bytes const& offsets);

/// @return `count` strings from `first` on
column part_of(column strings, std::uint64_t first, std::uint64_t count) noexcept;

/// @return the string at position `i`
std::string_view string_at(column const& strings, std::uint64_t i) noexcept;

}  // namespace warpdex::tables
