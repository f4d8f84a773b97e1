// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/byte_key.hpp>
#include <warpdex/search/mix.hpp>

#include <cstdint>

#include "backend/steps.hpp"
#include "base/validity_bits.hpp"
#include "join/join_steps.hpp"

/// @file
/// What joins by hashes of strings do with each string, for host and device.
namespace warpdex {

/// @return the product of two numbers of 64 bits, its halves folded into one
WDX_HD inline std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) { return a * b ^ multiply_high(a, b); }

/// A keyed hash of strings: each word meets a number that only the seed tells, and the product of both is folded. So
/// nobody who does not know the seed can choose strings that meet more often than random ones.
struct string_hash {
  std::uint64_t first;
  std::uint64_t second;

  explicit string_hash(std::uint64_t seed) : first(mix(seed, 1)), second(mix(seed, 2)) {}

  WDX_HD std::uint64_t operator()(byte_key const& s) const {
    std::uint64_t hash = second;
    for (std::uint32_t at = 0; at < s.size; at += 8) hash = folded_product(hash ^ word_at(s, at), first);
    return folded_product(hash ^ s.size, second);
  }
};

namespace string_steps {

/// Writes the hash of string i. @param shift lower bits that are dropped, for tests
struct hash_string {
  byte_key const* strings;
  string_hash hash;
  int shift;
  std::uint64_t* hashes;
  WDX_HD void operator()(std::uint64_t i) const { hashes[i] = hash(strings[i]) >> shift; }
};

/// Whether string i is another one than the first with its hash.
struct meets_another {
  byte_key const* strings;
  row_array rows;  ///< the first string with this hash
  WDX_HD bool operator()(std::uint64_t i) const {
    std::uint64_t const row = rows.get(i);
    return row != rows.none() && row != i && strings[row] != strings[i];
  }
};

/// Writes whether 8 strings are among those of a table: as bits, and as their rows.
struct keep_equal {
  byte_key const* strings;
  std::uint64_t size;
  byte_key const* others;  ///< the strings of the table
  row_array rows;          ///< the first one with the hash of each string; `no_row` if it is another string
  std::uint8_t* bits;
  WDX_HD void operator()(std::uint64_t byte) const {
    std::uint64_t const first = byte * values_per_byte;
    std::uint64_t const end = first + values_per_byte < size ? first + values_per_byte : size;
    byte_key found[values_per_byte];  // read before the bytes of any is, so that the reads overlap
    unsigned equal = 0;
    for (std::uint64_t i = first; i < end; ++i) {
      std::uint64_t const row = rows.get(i);
      if (row == rows.none()) continue;
      equal |= 1u << (i - first);
      found[i - first] = others[row];
      prefetch<1>(found[i - first].data);
    }
    for (std::uint64_t i = first; i < end; ++i) {
      unsigned const bit = 1u << (i - first);
      if ((equal & bit) == 0 || found[i - first] == strings[i]) continue;
      equal &= ~bit;
      rows.set(i, rows.none());
    }
    bits[byte] = static_cast<std::uint8_t>(equal);
  }
};

struct all : steps::list<steps::runs<hash_string, keep_equal>, steps::finds_first<meets_another>> {};
all list_of_step(...);

}  // namespace string_steps
}  // namespace warpdex
