// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "io/file.hpp"

/// @file
/// What a file holds, which its spec says: that of a grouped index is `grouped(...)` around the spec of its entries.
namespace warpdex::io {

enum class file_kind : std::uint8_t {
  plain,
  grouped,
  sharded,
  networks,
  aggregates,
  intervals,
  encoder,
  set,
  sharded_set
};

/// @return the spec of a file of a kind @param inner that of the index, or of all its shards; of aggregates and
/// encoders their type, of sets their code
std::string spec_of(file_kind kind, std::string const& inner);

/// @return what a file holds
file_kind kind_of(file const& from);

/// @throws format_error that says what the file holds, if it is of another kind
void expect_kind(file const& from, file_kind wanted);

/// @return whether headers say the same
inline bool same(header const& a, header const& b) {
  return a.spec == b.spec && a.keys == b.keys && a.rows == b.rows && a.size == b.size;
}

/// Compares what a file says of its content with what was found there.
/// @param sections all but the note; their bytes do not matter @param blamed the section that is named
/// @throws format_error
void expect_saved(file const& from, header const& known, std::span<section const> sections, std::string_view blamed);

}  // namespace warpdex::io
