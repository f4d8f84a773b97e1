// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/lookups.hpp>
#include <warpdex/matches.hpp>

#include <span>

#include "request/batches.hpp"
#include "request/staging.hpp"

/// @file
/// How every lookup runs, from its arrays to its batches, whoever answers the batches.
namespace warpdex {

/// Answers the batches of lookups.
class lookup_batches {
 public:
  /// @param like has the types, the order and the spec of what answers
  /// @param anywhere whether batches may be on any backend: they run where the execution of the call is, not where
  /// `like` is
  lookup_batches(structure const& like, bool anywhere) : like_(like), anywhere_(anywhere) {}
  virtual ~lookup_batches() = default;

  structure const& like() const { return like_; }
  virtual std::uint64_t size() const { return like_.shape().size; }  ///< number of entries
  bool anywhere() const { return anywhere_; }

  /// Writes the answers of a part of a lookup.
  /// @param first number of its first probe
  /// @param to the outputs, within reach of the backend of `exec`; null for those that are not wanted
  virtual void answer(lookup const& what, range_array const& part, std::uint64_t size, std::uint64_t first,
                      void* const (&to)[2], execution const& exec) const = 0;

  /// @return the rows of each probe: counts its entries, scans the counts to offsets, and writes the row ids.
  /// Synchronises
  virtual matches list(lookup const& what, range_array const& whole, std::uint64_t size,
                       execution const& exec) const = 0;

 private:
  structure const& like_;
  bool anywhere_;
};

/// The batches of an index in one memory.
class whole_batches final : public lookup_batches {
 public:
  explicit whole_batches(structure const& s) : lookup_batches(s, false) {}

  void answer(lookup const& what, range_array const& part, std::uint64_t size, std::uint64_t first,
              void* const (&to)[2], execution const& exec) const override;
  matches list(lookup const& what, range_array const& whole, std::uint64_t size, execution const& exec) const override;
};

/// @return the staging of the arrays of a call
staging staging_of(lookup_batches const& batches, char const* call, execution const& exec);

/// @return matches with room for the offsets of their probes, which may hold anything
matches room_for_matches(std::uint64_t probes, row_type rows, execution const& exec);

/// Turns the numbers of rows of all probes, which are in the place of offsets, to offsets, and makes room for the rows.
/// Synchronises if there are probes. Looks for a stop request, since the rows may be many.
void make_rows(char const* call, matches& found, execution const& exec);

/// Runs a lookup that writes answers (`index::look_up`).
void run_lookup(lookup_batches const& batches, lookup const& what, key_ranges const& query,
                std::span<lookup_output const> outputs, execution const& exec);

/// Runs a lookup that lists rows (`index::list`). Synchronises.
matches run_list(lookup_batches const& batches, lookup const& what, key_ranges const& query, execution const& exec);

/// Follows keys that refer to keys (`index::ancestors`). Synchronises.
matches run_ancestors(lookup_batches const& batches, nullable_column const& probes, column parents,
                      execution const& exec);

}  // namespace warpdex
