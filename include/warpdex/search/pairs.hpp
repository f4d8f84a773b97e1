// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/common.hpp>

/// @file
/// Layouts: how the (key, row id) pairs are stored (paper 000, section 4.4). The types are trivially copyable, own
/// nothing, and do not know the order of the pairs. Arrays are aligned to 16 bytes.
///
/// Every layout has
///
///     P::key_type P::row_type
///     static constexpr layout kind             which layout it is
///     static constexpr size_t bytes_per_pair   bytes from one pair to the next, in all arrays together
///     key_type    key(slot)                    the key in a slot
///     row_type    row(slot)                    its row id
///     void const* key_address(slot)            where the key is, for prefetches
///     void const* row_address(slot)            where the row id is
///
/// and those of numbers also
///
///     auto node<Count, Lanes>(slot)            the keys of `Count` adjacent slots for a group of `Lanes` lanes (see
///                                              read_node). `slot` is a multiple of `Count`. Without `Lanes` the result
///                                              suits any group
namespace warpdex {

/// The layouts: two arrays, an array of pairs, an array of pairs without padding.
enum class layout : std::uint8_t { soa, aos, packed };

/// Two arrays. Without an array of rows, the row id of a slot is its number.
///
///     keys  | k0 | k1 | k2 | ...        rows  | r0 | r1 | r2 | ...
template <class Key, class Row> struct soa_pairs {
  /// A member of every layout, which search/pairs.hpp describes.
  /// @{
  using key_type = Key;
  using row_type = Row;
  static constexpr layout kind = layout::soa;
  static constexpr std::size_t bytes_per_pair = sizeof(Key) + sizeof(Row);
  /// @}

  Key const* keys;  ///< the keys, aligned to 16 bytes
  Row const* rows;  ///< null if row ids are slots

  /// A member of every layout, which search/pairs.hpp describes.
  /// @{
  WDX_HD Key key(std::uint64_t slot) const { return keys[slot]; }
  WDX_HD Row row(std::uint64_t slot) const { return rows == nullptr ? static_cast<Row>(slot) : rows[slot]; }
  template <int Count, int Lanes = 0> WDX_HD auto node(std::uint64_t slot) const {
    return [values = read_node<Lanes, Count>(keys + slot)](int j) { return values[j]; };
  }
  WDX_HD void const* key_address(std::uint64_t slot) const { return keys + slot; }
  /// @}

  /// @return the address of a row id; that of the key if there is no array of rows
  WDX_HD void const* row_address(std::uint64_t slot) const {
    return rows == nullptr ? key_address(slot) : static_cast<void const*>(rows + slot);
  }
};

/// One array of pairs. The bytes per pair are a power of two: 8 (u32, u32), 16, or 32 (u128 keys). A pair is aligned to
/// its size, at most to 16 bytes.
///
///     | k0 r0 | k1 r1 | k2 r2 | ...     (u64, u32): | k0 k0 r0 -- | k1 k1 r1 -- | ...
template <class Key, class Row> struct aos_pairs {
  /// A member of every layout, which search/pairs.hpp describes.
  /// @{
  using key_type = Key;
  using row_type = Row;
  static constexpr layout kind = layout::aos;
  static constexpr std::size_t bytes_per_pair = 2 * (sizeof(Key) > sizeof(Row) ? sizeof(Key) : sizeof(Row));
  /// @}

  /// A key and its row id.
  struct alignas(bytes_per_pair < 16 ? bytes_per_pair : 16) pair {
    Key key;  ///< the key
    Row row;  ///< its row id
  };
  pair const* pairs;  ///< the pairs

  /// A member of every layout, which search/pairs.hpp describes.
  /// @{
  WDX_HD Key key(std::uint64_t slot) const { return pairs[slot].key; }
  WDX_HD Row row(std::uint64_t slot) const { return pairs[slot].row; }
  template <int Count, int Lanes = 0> WDX_HD auto node(std::uint64_t slot) const {
    return [values = read_node<Lanes, Count>(pairs + slot)](int j) { return values[j].key; };
  }
  WDX_HD void const* key_address(std::uint64_t slot) const { return pairs + slot; }
  WDX_HD void const* row_address(std::uint64_t slot) const { return pairs + slot; }
  /// @}
};

/// One array of pairs without padding, for keys and rows of different widths: 12 bytes per pair, or 20 or 24 with u128
/// keys. Pairs are aligned to 4 bytes.
///
///     (u64, u32): | k0 k0 r0 | k1 k1 r1 | ...     (u32, u64): | k0 r0 r0 | k1 r1 r1 | ...
template <class Key, class Row> struct packed_pairs {
  static_assert(sizeof(Key) != sizeof(Row), "pairs of equal widths have no padding to save: use aos_pairs");
  /// A member of every layout, which search/pairs.hpp describes.
  /// @{
  using key_type = Key;
  using row_type = Row;
  static constexpr layout kind = layout::packed;
  static constexpr std::size_t bytes_per_pair = sizeof(Key) + sizeof(Row);
  /// @}
  static constexpr int words_per_pair = bytes_per_pair / 4;  ///< words of 4 bytes of a pair

  std::uint32_t const* words;  ///< the pairs, as words

  /// A member of every layout, which search/pairs.hpp describes.
  /// @{
  WDX_HD Key key(std::uint64_t slot) const { return load<Key>(words, words_per_pair * slot); }
  WDX_HD Row row(std::uint64_t slot) const { return load<Row>(words, words_per_pair * slot + sizeof(Key) / 4); }
  template <int Count, int Lanes = 0> WDX_HD auto node(std::uint64_t slot) const {
    return [values = read_node<Lanes, words_per_pair * Count>(words + words_per_pair * slot)](int j) {
      return load<Key>(values, words_per_pair * j);
    };
  }
  WDX_HD void const* key_address(std::uint64_t slot) const { return words + words_per_pair * slot; }
  WDX_HD void const* row_address(std::uint64_t slot) const { return words + words_per_pair * slot; }
  /// @}

 private:
  template <class T, class Words, class Place> WDX_HD static T load(Words const& from, Place i) {
    T value = from[i];
    if constexpr (sizeof(T) > 4) value |= static_cast<T>(from[i + 1]) << 32;
    if constexpr (sizeof(T) > 8) value |= static_cast<T>(from[i + 2]) << 64 | static_cast<T>(from[i + 3]) << 96;
    return value;
  }
};

/// Whether wide nodes and hash tables are compiled for all lane groups of 2 to 32 lanes. This holds for narrow pairs
/// only: these groups serve comparisons, and are never the fastest.
template <class Pairs>
inline constexpr bool searched_by_any_lanes = sizeof(typename Pairs::key_type) == 4 &&
                                              sizeof(typename Pairs::row_type) == 4;

}  // namespace warpdex
