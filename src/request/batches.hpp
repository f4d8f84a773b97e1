// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/index.hpp>
#include <warpdex/lookups.hpp>

#include "base/validity_bits.hpp"
#include "request/staging.hpp"
#include "structures/structure.hpp"

/// @file
/// Batches over an index, for lookups and for calls that make more of their answers. All arrays are within reach of the
/// index's backend.
namespace warpdex {

/// @return what an index is made of
/// @throws invalid_argument if the index was moved from
structure const& structure_of(index const& from, char const* call);

/// @throws invalid_argument in an update while a join with the structure runs
void expect_idle(structure const& s, char const* call);

/// @throws unsupported if the structure has no order
void expect_ordered(structure const& s, char const* call);

/// @throws unsupported if the structure has no order, or keys that are no strings
void expect_prefixes(structure const& s, char const* call);

/// Checks the types and lengths of ranges among keys of a type, and how their bounds count.
/// @throws invalid_argument
void expect_ranges(char const* call, key_type keys, key_ranges const& probes);

/// Checks the types of probes; of ranges also their lengths, and how their bounds count.
/// @throws invalid_argument
void expect_probes(structure const& s, char const* call, probe_form form, key_ranges const& probes);

/// Checks the outputs of a lookup.
/// @param shape of the index, with the type of the keys that are answered
/// @throws invalid_argument; unsupported if keys without a fixed length are wanted
void expect_outputs(lookup const& what, index_shape const& shape, std::uint64_t probes,
                    std::span<lookup_output const> outputs);

/// @return bytes per answer
std::size_t width_of(answer_kind kind, index_shape const& shape);

/// Probes, or bounds on one side of ranges.
struct probe_array {
  void const* keys;
  key_type type;
  validity_bits valid = {};

  /// @return those from number `i` on
  probe_array from(std::uint64_t i) const {
    auto const* const first = static_cast<std::byte const*>(keys);
    return {first == nullptr ? nullptr : first + i * size_of(type), type, valid.from(i)};
  }
};

/// Where the answers of a point batch go.
struct point_answers {
  void* out;
  void* keys = nullptr;                ///< of floor and ceil; may be null
  std::uint32_t* positions = nullptr;  ///< as `point_batch::positions`
  std::uint32_t first_position = 0;
};

/// Runs a lookup of keys that answers one value per probe.
/// @param side the rounding of probes to keys, if it is not that of the lookup
void run_points(batch_answerer const& s, lookup const& what, probe_array const& probes, std::uint64_t size,
                point_answers const& to, execution const& exec, std::optional<rounding> side = std::nullopt);

/// Ranges of a batch. `form` says what the arrays hold: keys or prefixes in `lower` alone, or the bounds of ranges.
struct range_array {
  probe_form form;
  probe_array lower;
  probe_array upper = lower;
  closed_ends closed = closed_ends::both;
  bool has_lower = true;  ///< whether ranges have lower bounds
  bool has_upper = true;

  range_array from(std::uint64_t i) const { return {form, lower.from(i), upper.from(i), closed, has_lower, has_upper}; }
};

/// Where the answers of ranges go; each may be null.
struct range_answers {
  std::uint64_t* counts = nullptr;  ///< entries in each range
  std::uint64_t* first = nullptr;  ///< rank of the first entry, or where the range would be; without an order its place
  std::uint64_t* sums = nullptr;   ///< sum of the row ids
};

/// Counts the entries of ranges, finds where they begin, or sums their row ids.
void run_ranges(batch_answerer const& s, range_array const& ranges, std::uint64_t size, range_answers const& to,
                execution const& exec);

/// Runs a lookup that writes arrays, unless it finds the longest beginnings of strings.
/// @param first number of its first probe
/// @param to its outputs; null for those that are not wanted
void run_batch(batch_answerer const& s, lookup const& what, range_array const& part, std::uint64_t size,
               std::uint64_t first, void* const (&to)[2], execution const& exec);

/// Writes `answer` for each null. On the backend of `exec`.
void answer_nulls(validity_bits valid, std::uint64_t size, void* answers, std::size_t width, std::uint64_t answer,
                  execution const& exec);

/// Finds the longest keys that begin strings (`structure::longest_prefix`).
void run_longest(structure const& s, probe_array const& strings, std::uint64_t size, void* rows, std::uint32_t* lengths,
                 execution const& exec);

/// @param size of the index
/// @return ranks where the backend of `exec` can read them
/// @throws unsupported if the structure has no order; invalid_argument for a rank that is not below `size`
std::uint64_t const* stage_ranks(char const* call, structure const& s, std::uint64_t size,
                                 std::span<std::uint64_t const> ranks, staging& arrays, execution const& exec);

/// Puts strings in the place of references to them. Synchronises.
/// @param keys its `keys` are `size` references
void pack_references(key_list& keys, execution const& exec);

}  // namespace warpdex
