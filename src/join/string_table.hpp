// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/index.hpp>

#include <cstdint>
#include <memory>
#include <optional>

#include "request/staging.hpp"

namespace warpdex {

/// Strings looked up in a `string_table`: numbers that an index over its hashes takes as probes.
struct string_probes {
  buffer hashes;
  buffer bits;  ///< whether each string is one of the table's
  buffer rows;  ///< the first string of the table that equals it, or `no_row`; of the type of the table's rows
  std::uint64_t size = 0;

  nullable_column view() const {
    return {column(hashes.data(), size, key_type::u64), static_cast<std::uint8_t const*>(bits.data())};
  }
};

/// A hash table over the strings of a column: `HT(open)` over their hashes of 64 bits, under a random seed. It holds no
/// two strings that meet in a hash, and strings that are looked up are compared with those that have their hash. So
/// answers are exact.
///
/// Cost: a pass over the bytes of the strings, a build of `HT(open)`, and one `find` per string.
class string_table {
 public:
  /// @param what names the column in messages @param s the spec of the table
  /// @param firsts whether only `find` is asked, so that the first of equal strings suffices
  /// @param hash_bits fewer than 64 are for tests
  /// @return nothing if strings meet under each of several seeds
  static std::optional<string_table> build(char const* call, nullable_column const& strings, char const* what,
                                           spec const& s, bool firsts, execution const& exec, int hash_bits = 64);

  /// Looks up strings, which are brought within reach all at once.
  string_probes find(char const* call, nullable_column const& strings, char const* what, execution const& exec) const;

  /// @return for each string of the column the first that equals it, or `no_row` for a null
  buffer const& rows() const { return rows_; }

  /// @return the index, which takes `string_probes` after this object is gone
  index release() { return std::move(*table_); }

 private:
  string_table() = default;
  bool try_seed(char const* call, spec const& s, nullable_column const& strings, bool firsts, execution const& exec);

  std::unique_ptr<staging> stage_;  ///< owns the references
  column strings_;                  ///< references
  std::uint64_t seed_ = 0;
  int hash_bits_ = 64;
  std::optional<index> table_;
  buffer rows_;
};

}  // namespace warpdex
