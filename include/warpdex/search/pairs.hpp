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
///     P::key_type P::row_type                  of the values that `key` and `row` return
///     P::position                              of slots
///     static constexpr layout kind             which layout it is
///     static constexpr size_t key_stride       bytes from one key to the next
///     key_type    key(slot)                    the key in a slot
///     row_type    row(slot)                    its row id; `no_row` if that is stored
///     size_t      row_bytes()                  bytes of a stored row id: 4 or 8
///     size_t      pair_bytes()                 bytes from one pair to the next, in all arrays together
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

/// Row ids of 32 or 64 bits, which is known at run time. A search reads one of them after it has found its slot, so the
/// width costs it one branch that all searches of a batch take alike.
struct row_ids {
  void const* data = nullptr;  ///< null if row ids are slots
  bool wide = false;           ///< whether row ids have 64 bits

  row_ids() = default;
  WDX_HD row_ids(std::nullptr_t) {}                                              ///< slots
  WDX_HD row_ids(std::uint32_t const* rows) : data(rows) {}                      ///< of 32 bits
  WDX_HD row_ids(std::uint64_t const* rows) : data(rows), wide(true) {}          ///< of 64 bits
  WDX_HD row_ids(void const* rows, bool is_wide) : data(rows), wide(is_wide) {}  ///< of either

  WDX_HD std::size_t bytes() const { return wide ? 8 : 4; }  ///< of a row id
  /// @return the row id in a slot; `no_row` of 64 bits for that of 32
  WDX_HD std::uint64_t operator[](std::uint64_t slot) const {
    if (data == nullptr) return slot;
    if (wide) return static_cast<std::uint64_t const*>(data)[slot];
    return std::uint64_t{static_cast<std::uint32_t const*>(data)[slot] + 1u} - 1;
  }
  /// @return the sum of the row ids in slots [begin, end), none of which holds `no_row`. Its loops have no branches
  WDX_HD std::uint64_t sum(std::uint64_t begin, std::uint64_t end) const {
    std::uint64_t result = 0;
    if (data == nullptr)
      for (; begin < end; ++begin) result += begin;
    else if (wide)
      for (; begin < end; ++begin) result += static_cast<std::uint64_t const*>(data)[begin];
    else
      for (; begin < end; ++begin) result += static_cast<std::uint32_t const*>(data)[begin];
    return result;
  }
  /// @return its address; null if row ids are slots
  WDX_HD void const* address(std::uint64_t slot) const {
    return data == nullptr ? nullptr : static_cast<unsigned char const*>(data) + slot * bytes();
  }
};

/// Two arrays, of which that of rows has numbers of 32 or 64 bits. Without it, the row id of a slot is its number.
///
///     keys  | k0 | k1 | k2 | ...        rows  | r0 | r1 | r2 | ...
///
/// @tparam Position the type of slots: 32 bits for fewer than 2^32 entries, whatever their row ids have
template <class Key, class Position = std::uint32_t> struct soa_pairs {
  /// A member of every layout, which search/pairs.hpp describes.
  /// @{
  using key_type = Key;
  using row_type = std::uint64_t;
  using position = Position;
  static constexpr layout kind = layout::soa;
  static constexpr std::size_t key_stride = sizeof(Key);
  /// @}

  Key const* keys;  ///< the keys, aligned to 16 bytes
  row_ids rows;     ///< the row ids

  /// A member of every layout, which search/pairs.hpp describes.
  /// @{
  WDX_HD Key key(std::uint64_t slot) const { return keys[slot]; }
  WDX_HD row_type row(std::uint64_t slot) const { return rows[slot]; }
  WDX_HD std::size_t row_bytes() const { return rows.bytes(); }
  WDX_HD std::size_t pair_bytes() const { return sizeof(Key) + rows.bytes(); }
  template <int Count, int Lanes = 0> WDX_HD auto node(std::uint64_t slot) const {
    return [values = read_node<Lanes, Count>(keys + slot)](int j) { return values[j]; };
  }
  WDX_HD void const* key_address(std::uint64_t slot) const { return keys + slot; }
  /// @}

  /// @return the address of a row id; that of the key if there is no array of rows
  WDX_HD void const* row_address(std::uint64_t slot) const {
    return rows.data == nullptr ? key_address(slot) : rows.address(slot);
  }
};

/// The two arrays of a hash table, whose marks and lists of rows are as wide as its row ids.
template <class Key, class Row> struct soa_slots {
  /// A member of every layout, which search/pairs.hpp describes.
  /// @{
  using key_type = Key;
  using row_type = Row;
  using position = position_of<Row>;
  static constexpr layout kind = layout::soa;
  static constexpr std::size_t key_stride = sizeof(Key);
  /// @}

  Key const* keys;  ///< the keys, aligned to 16 bytes
  Row const* rows;  ///< the row ids

  /// A member of every layout, which search/pairs.hpp describes.
  /// @{
  WDX_HD Key key(std::uint64_t slot) const { return keys[slot]; }
  WDX_HD Row row(std::uint64_t slot) const { return rows[slot]; }
  WDX_HD static constexpr std::size_t row_bytes() { return sizeof(Row); }
  WDX_HD static constexpr std::size_t pair_bytes() { return sizeof(Key) + sizeof(Row); }
  template <int Count, int Lanes = 0> WDX_HD auto node(std::uint64_t slot) const {
    return [values = read_node<Lanes, Count>(keys + slot)](int j) { return values[j]; };
  }
  WDX_HD void const* key_address(std::uint64_t slot) const { return keys + slot; }
  WDX_HD void const* row_address(std::uint64_t slot) const { return rows + slot; }
  /// @}
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
  using position = position_of<Row>;
  static constexpr layout kind = layout::aos;
  static constexpr std::size_t key_stride = 2 * (sizeof(Key) > sizeof(Row) ? sizeof(Key) : sizeof(Row));
  /// @}

  /// A key and its row id.
  struct alignas(key_stride < 16 ? key_stride : 16) pair {
    Key key;  ///< the key
    Row row;  ///< its row id
  };
  pair const* pairs;  ///< the pairs

  /// A member of every layout, which search/pairs.hpp describes.
  /// @{
  WDX_HD Key key(std::uint64_t slot) const { return pairs[slot].key; }
  WDX_HD Row row(std::uint64_t slot) const { return pairs[slot].row; }
  WDX_HD static constexpr std::size_t row_bytes() { return sizeof(Row); }
  WDX_HD static constexpr std::size_t pair_bytes() { return key_stride; }
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
  using position = position_of<Row>;
  static constexpr layout kind = layout::packed;
  static constexpr std::size_t key_stride = sizeof(Key) + sizeof(Row);
  /// @}
  static constexpr int words_per_pair = key_stride / 4;  ///< words of 4 bytes of a pair

  std::uint32_t const* words;  ///< the pairs, as words

  /// A member of every layout, which search/pairs.hpp describes.
  /// @{
  WDX_HD Key key(std::uint64_t slot) const { return load<Key>(words, words_per_pair * slot); }
  WDX_HD Row row(std::uint64_t slot) const { return load<Row>(words, words_per_pair * slot + sizeof(Key) / 4); }
  WDX_HD static constexpr std::size_t row_bytes() { return sizeof(Row); }
  WDX_HD static constexpr std::size_t pair_bytes() { return key_stride; }
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

/// Whether wide nodes and hash tables are compiled for all lane groups of 2 to 32 lanes. This holds for narrow keys and
/// positions only: these groups serve comparisons, and are never the fastest.
template <class Pairs>
inline constexpr bool searched_by_any_lanes = sizeof(typename Pairs::key_type) == 4 &&
                                              sizeof(typename Pairs::position) == 4;

}  // namespace warpdex
