// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/common.hpp>

/// @file
/// Layouts: how the (key, row id) pairs lie in memory (paper 000, section 4.4). All are trivially
/// copyable, non-owning, and do not know how the pairs are arranged. Arrays are aligned to 16 bytes.
/// `node<Count, Lanes>(slot)` gives the keys of `Count` adjacent slots, where `slot` is a multiple of `Count`, for a
/// group of so many lanes (see read_node); without `Lanes` for any.
namespace warpdex {

enum class layout : std::uint8_t { soa, aos, packed };

/// Two arrays.
///
///     keys  | k0 | k1 | k2 | ...        rows  | r0 | r1 | r2 | ...
template <class Key, class Row> struct soa_pairs {
  using key_type = Key;
  using row_type = Row;
  static constexpr layout kind = layout::soa;
  static constexpr std::size_t bytes_per_pair = sizeof(Key) + sizeof(Row);

  Key const* keys;
  Row const* rows;

  WDX_HD Key key(std::uint64_t slot) const { return keys[slot]; }
  WDX_HD Row row(std::uint64_t slot) const { return rows[slot]; }
  template <int Count, int Lanes = 0> WDX_HD auto node(std::uint64_t slot) const {
    return [values = read_node<Lanes, Count>(keys + slot)](int j) { return values[j]; };
  }
  WDX_HD void const* key_address(std::uint64_t slot) const { return keys + slot; }
  WDX_HD void const* row_address(std::uint64_t slot) const { return rows + slot; }
};

/// One array of pairs of a power of two of bytes: 8 (u32, u32), 16, or 32 (u128 keys). Each is aligned to its size, or
/// to 16.
///
///     | k0 r0 | k1 r1 | k2 r2 | ...     (u64, u32): | k0 k0 r0 -- | k1 k1 r1 -- | ...
template <class Key, class Row> struct aos_pairs {
  using key_type = Key;
  using row_type = Row;
  static constexpr layout kind = layout::aos;
  static constexpr std::size_t bytes_per_pair = 2 * (sizeof(Key) > sizeof(Row) ? sizeof(Key) : sizeof(Row));

  struct alignas(bytes_per_pair < 16 ? bytes_per_pair : 16) pair {
    Key key;
    Row row;
  };
  pair const* pairs;

  WDX_HD Key key(std::uint64_t slot) const { return pairs[slot].key; }
  WDX_HD Row row(std::uint64_t slot) const { return pairs[slot].row; }
  template <int Count, int Lanes = 0> WDX_HD auto node(std::uint64_t slot) const {
    return [values = read_node<Lanes, Count>(pairs + slot)](int j) { return values[j].key; };
  }
  WDX_HD void const* key_address(std::uint64_t slot) const { return pairs + slot; }
  WDX_HD void const* row_address(std::uint64_t slot) const { return pairs + slot; }
};

/// One array of pairs for keys and rows of different widths: 12 bytes, or 20 or 24 with u128 keys; no padding,
/// 4-byte alignment.
///
///     (u64, u32): | k0 k0 r0 | k1 k1 r1 | ...     (u32, u64): | k0 r0 r0 | k1 r1 r1 | ...
template <class Key, class Row> struct packed_pairs {
  static_assert(sizeof(Key) != sizeof(Row), "pairs of equal widths have no padding to save: use aos_pairs");
  using key_type = Key;
  using row_type = Row;
  static constexpr layout kind = layout::packed;
  static constexpr std::size_t bytes_per_pair = sizeof(Key) + sizeof(Row);
  static constexpr int words_per_pair = bytes_per_pair / 4;

  std::uint32_t const* words;

  WDX_HD Key key(std::uint64_t slot) const { return load<Key>(words, words_per_pair * slot); }
  WDX_HD Row row(std::uint64_t slot) const { return load<Row>(words, words_per_pair * slot + sizeof(Key) / 4); }
  template <int Count, int Lanes = 0> WDX_HD auto node(std::uint64_t slot) const {
    return [values = read_node<Lanes, words_per_pair * Count>(words + words_per_pair * slot)](int j) {
      return load<Key>(values, words_per_pair * j);
    };
  }
  WDX_HD void const* key_address(std::uint64_t slot) const { return words + words_per_pair * slot; }
  WDX_HD void const* row_address(std::uint64_t slot) const { return words + words_per_pair * slot; }

 private:
  template <class T, class Words, class Place> WDX_HD static T load(Words const& from, Place i) {
    T value = from[i];
    if constexpr (sizeof(T) > 4) value |= static_cast<T>(from[i + 1]) << 32;
    if constexpr (sizeof(T) > 8) value |= static_cast<T>(from[i + 2]) << 64 | static_cast<T>(from[i + 3]) << 96;
    return value;
  }
};

/// Whether wide nodes, and hash tables, are compiled for groups of any number of lanes: only with narrow pairs, as such
/// groups are for comparisons, and never the fastest.
template <class Pairs>
inline constexpr bool searched_by_any_lanes = sizeof(typename Pairs::key_type) == 4 &&
                                              sizeof(typename Pairs::row_type) == 4;

}  // namespace warpdex
