// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/file.hpp"

/// @file
/// Index files with a note of their writer's (note.hpp).
namespace warpdex::io {

/// `write` with a note. @throws as `write`; invalid_argument for a note that no file can hold
void write(std::filesystem::path const& path, header const& head, std::span<section const> sections,
           std::string_view note);

/// `image` with a note.
std::vector<std::byte> image(header const& head, std::span<section const> sections, std::string_view note);

/// @throws io_error, format_error
std::string note_of(std::filesystem::path const& path);
std::string note_of(std::span<std::byte const> bytes);

}  // namespace warpdex::io
