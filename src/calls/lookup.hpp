// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/index.hpp>

#include "backend/rounding.hpp"
#include "structures/structure.hpp"

/// @file
/// Batches over an index, for calls that make more of their answers than lookups do. All arrays are within reach of the
/// index's backend.
namespace warpdex {

/// @return what an index is made of
/// @throws invalid_argument if the index was moved from
structure const& structure_of(index const& from, char const* call);

/// @throws unsupported if the structure has no order
void expect_ordered(structure const& s, char const* call);

/// @throws unsupported if the structure has no order, or keys that are no strings
void expect_prefixes(structure const& s, char const* call);

/// Runs a point batch whose probes are of type `from`, rounded to keys by `side`. A probe for which no key stands has
/// the answer of a miss.
/// @param width bytes per answer
void run_points(structure const& s, point_batch batch, key_type from, rounding side, std::size_t width,
                execution const& exec);

/// Counts the entries of each probe, and finds where they begin (`range_batch::first`). Both arrays are written.
/// @param from the type of the probes
void locate_points(structure const& s, void const* probes, key_type from, std::uint64_t size, std::uint64_t* counts,
                   std::uint64_t* first, execution const& exec);

/// Puts strings in the place of references to them. Synchronises.
/// @param keys its `keys` are `size` references
void pack_references(key_list& keys, execution const& exec);

}  // namespace warpdex
