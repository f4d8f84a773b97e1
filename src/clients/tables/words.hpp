// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/chunked_keys.hpp>

#include <utility>

namespace warpdex::chunks {

/// @return whether a column has dictionaries
bool have_words(chunked_keys const& of);

/// @return encoded keys as a column of one chunk
chunked_keys in_one(encoded_keys from);

/// Numbers that are equal where the values of both sides are: of a right value the first that equals it. Those of a
/// dictionary are looked up once per word.
/// @param with_nulls whether the numbers have the flags of nulls and misses; else these have numbers that equal nothing
std::pair<chunked_keys, chunked_keys> numbered(chunked_keys const& left, chunked_keys const& right, bool with_nulls,
                                               int threads);

}  // namespace warpdex::chunks
