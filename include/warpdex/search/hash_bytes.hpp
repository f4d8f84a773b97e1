// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/byte_key.hpp>
#include <warpdex/search/hash_open.hpp>

namespace warpdex {

/// A keyed hash of strings: each word meets a number that follows from the seed, and the product of both is folded. So
/// nobody who does not know the seed can choose strings that meet more often than random ones.
struct string_hash {
  std::uint64_t first;   ///< meets each word
  std::uint64_t second;  ///< meets the length

  /// Not initialised.
  string_hash() = default;
  /// @param seed any number, which callers keep to themselves
  explicit string_hash(std::uint64_t seed) : first(mix(seed, 1)), second(mix(seed, 2)) {}

  /// @return the hash of a string
  WDX_HD std::uint64_t operator()(byte_key const& s) const {
    std::uint64_t hash = second;
    for (std::uint32_t at = 0; at < s.size; at += 8) hash = folded_product(hash ^ word_at(s, at), first);
    return folded_product(hash ^ s.size, second);
  }

 private:
  WDX_HD static std::uint64_t folded_product(std::uint64_t a, std::uint64_t b) { return a * b ^ multiply_high(a, b); }
};

/// The distinct strings of a table, each a record of whole units of 16 bytes:
///
///     | size | value | bytes ... 0 | size | value | bytes ............ 0 | ... | 0 | rows |
///
/// A place is the number of the first unit of a record. The value is the row of the key or, in a table in which keys
/// repeat, the index of its first row in a list of all rows; the value of the next record ends them.
template <class Row> struct string_records {
  /// A member of every layout, which search/pairs.hpp describes.
  /// @{
  using key_type = byte_key;
  using row_type = Row;
  static constexpr layout kind = layout::aos;
  static constexpr std::uint64_t unit = 16;                       ///< bytes of a unit
  static constexpr std::uint64_t header_bytes = 2 * sizeof(Row);  ///< bytes of a size and a value
  /// @}

  unsigned char const* bytes;  ///< the records, aligned to 16 bytes

  /// @return the units of the record of a string
  WDX_HD static std::uint64_t units_of(std::uint64_t size) { return (header_bytes + size + unit - 1) / unit; }

  /// @return the record at a place
  WDX_HD unsigned char const* at(std::uint64_t position) const { return bytes + position * unit; }
  /// @return its size, and its value
  WDX_HD Row const* header(std::uint64_t position) const { return reinterpret_cast<Row const*>(at(position)); }

  /// @return the number of bytes of the string
  WDX_HD std::uint32_t size(std::uint64_t position) const { return static_cast<std::uint32_t>(header(position)[0]); }
  /// @return the string
  WDX_HD byte_key key(std::uint64_t position) const { return {at(position) + header_bytes, size(position)}; }
  /// @return the value
  WDX_HD Row row(std::uint64_t position) const { return header(position)[1]; }
  /// @return the bytes of a value
  WDX_HD static constexpr std::size_t row_bytes() { return sizeof(Row); }
  /// @return the bytes of a string and a value, as a caller has them
  WDX_HD static constexpr std::size_t pair_bytes() { return sizeof(byte_key) + sizeof(Row); }
  /// @return the place of the next record
  WDX_HD std::uint64_t next(std::uint64_t position) const { return position + units_of(size(position)); }
};

/// HT(open) over strings: a table of hashes of 64 bits, whose slots hold the places of records in place of rows. No two
/// strings of a table share a hash, so a search compares its target with one record at most. Records follow one another
/// in the order of the slots.
///
///     slots     | hash, place | -- | hash, place | ... |     HT(open), keys of 64 bits
///     records   | size, value, bytes | ... |                 `string_records`
///     rows      | r0 | r1 | ... |                            if keys repeat: all rows, those of a key in order
///
/// Cost of a search: the bytes of the target, and usually one bucket; of a key that exists also its record, and, if
/// keys repeat, a row.
template <class Pairs> struct hash_bytes {
  /// A member of the search protocol, which search/view.hpp describes.
  /// @{
  using key_type = byte_key;
  using row_type = typename Pairs::row_type;
  using position = std::uint64_t;
  using pairs_type = string_records<row_type>;
  using table_type = hash_open<Pairs>;                ///< the table of hashes
  static constexpr row_type none = table_type::none;  ///< no row id
  static constexpr view_traits traits{.ranked = false, .equal_depth = false, .routes = true};
  /// @}

  table_type table;      ///< the hashes, and the places of their records
  pairs_type pairs;      ///< the records
  row_type const* rows;  ///< all rows; null if no key repeats
  std::uint64_t size;    ///< number of entries, duplicates included
  std::uint64_t seed;    ///< of `hash`
  string_hash hash;      ///< of the strings; what it makes is mixed once more by the table

  /// The state of a search.
  struct search {
    byte_key target;                   ///< the string that is looked for
    typename table_type::search slot;  ///< of the search for its hash
    bool in_record;                    ///< whether the next visit reads a record
    bool found;                        ///< once the search is over: whether the string exists
    row_type value;                    ///< of the record of the key, if found
  };

  /// A member of the search protocol, which search/view.hpp describes.
  /// @{
  WDX_HD search start(byte_key const& target) const { return {target, table.start(hash(target)), false, false, none}; }

  template <class Group> WDX_HD bool visit(Group group, search& at) const {
    if (!at.in_record) {
      bool const over = table.visit(group, at.slot);
      at.in_record = over && table.has_found(at.slot);
      return over && !at.in_record;
    }
    at.found = pairs.key(at.slot.row) == at.target;
    at.value = pairs.row(at.slot.row);
    return true;
  }

  WDX_HD WDX_INLINE void prefetch(search const& at) const {
    if (at.in_record) warpdex::prefetch<1>(pairs.at(at.slot.row));
    else table.prefetch(at.slot);
  }

  /// @return a number whose order agrees with that of the records: the hash by which the slots are ordered
  WDX_HD std::uint64_t route_of(byte_key const& target) const { return table.hash_of(hash(target)); }

  WDX_HD bool has_found(search const& at) const { return at.found; }
  WDX_HD row_type first_row(search const& at) const {
    if (!at.found) return none;
    return rows == nullptr ? at.value : rows[at.value];
  }

  /// The place of an only row is the row itself; places of several are indexes of `rows`.
  WDX_HD stretch<position> places_of(search const& at) const {
    if (!at.found) return {0, 0};
    if (rows == nullptr) return {at.value, std::uint64_t{at.value} + 1};
    return {at.value, pairs.row(pairs.next(at.slot.row))};
  }
  WDX_HD row_type row_at(position slot) const { return rows == nullptr ? static_cast<row_type>(slot) : rows[slot]; }
  WDX_HD WDX_INLINE void prefetch_mark(search const& at) const {
    if (at.found && rows != nullptr) warpdex::prefetch<1>(pairs.at(pairs.next(at.slot.row)));
  }
  WDX_HD WDX_INLINE void prefetch_start(search const&) const {}

  WDX_HD std::uint64_t rank(std::uint64_t slot) const { return slot; }
  WDX_HD static constexpr int stretches() { return 1; }
  WDX_HD stretch<std::uint64_t> stretch_of(int, std::uint64_t first, std::uint64_t last) const { return {first, last}; }
  /// @}
};

}  // namespace warpdex
