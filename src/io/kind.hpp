// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "io/file.hpp"

/// @file
/// What a file holds, which its spec says: that of a grouped index is `grouped(...)` around the spec of its entries.
namespace warpdex::io {

enum class file_kind : std::uint8_t { plain, grouped, sharded, networks, aggregates };

/// @return the spec of a file of a kind @param inner that of the index, or of all its shards; of aggregates their type
std::string spec_of(file_kind kind, std::string const& inner);

/// @throws format_error that says what the file holds, if it is of another kind
void expect_kind(file const& from, file_kind wanted);

}  // namespace warpdex::io
