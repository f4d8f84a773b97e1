// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/codec.hpp>
#include <warpdex/search/pairs.hpp>

/// @file
/// Pairs whose layout is known at run time. Only searches are compiled per layout. Builds, checks, updates and copies
/// are bound by memory, so they are compiled once per key width and row width.
namespace warpdex {

/// The key and the row of an entry in registers.
template <class Key, class Row> struct entry {
  Key key;
  Row row;
};

/// @return the contents of a slot without an entry: the largest key, and the row id that no index holds
template <class Key, class Row> WDX_HD entry<Key, Row> no_entry() { return {static_cast<Key>(-1), no_row<Row>}; }

/// Reads pairs.
template <class Key, class Row> struct any_pairs {
  using key_type = Key;
  using row_type = Row;

  layout kind;
  void const* keys_or_pairs;  ///< keys in SoA, else pairs
  void const* rows;           ///< rows in SoA, else null; also null in SoA if row ids are slots

  any_pairs() = default;
  template <class Pairs>
  requires requires { Pairs::kind; }
  any_pairs(Pairs const& pairs) : kind(Pairs::kind), keys_or_pairs(pairs.key_address(0)), rows(rows_of(pairs)) {}

  WDX_HD Key key(std::uint64_t slot) const {
    return in_layout([slot](auto const& pairs) { return pairs.key(slot); });
  }
  WDX_HD Row row(std::uint64_t slot) const {
    return in_layout([slot](auto const& pairs) { return pairs.row(slot); });
  }
  WDX_HD entry<Key, Row> at(std::uint64_t slot) const { return {key(slot), row(slot)}; }

 private:
  template <class Pairs> static void const* rows_of([[maybe_unused]] Pairs const& pairs) {
    if constexpr (Pairs::kind == layout::soa) return pairs.rows;
    else return nullptr;
  }

  template <class Read> WDX_HD auto in_layout(Read const& read) const {
    if (kind == layout::soa)
      return read(soa_pairs<Key, Row>{static_cast<Key const*>(keys_or_pairs), static_cast<Row const*>(rows)});
    if constexpr (sizeof(Key) != sizeof(Row))
      if (kind == layout::packed) return read(packed_pairs<Key, Row>{static_cast<std::uint32_t const*>(keys_or_pairs)});
    return read(aos_pairs<Key, Row>{static_cast<typename aos_pairs<Key, Row>::pair const*>(keys_or_pairs)});
  }
};

/// Writes pairs.
template <class Key, class Row> struct pair_writer {
  layout kind;
  void* keys_or_pairs;
  void* rows;

  WDX_HD void put(std::uint64_t slot, entry<Key, Row> const& pair) const { put(slot, pair.key, pair.row); }
  WDX_HD void put(std::uint64_t slot, Key key, Row row) const {
    if (kind == layout::soa) {
      static_cast<Key*>(keys_or_pairs)[slot] = key;
      static_cast<Row*>(rows)[slot] = row;
      return;
    }
    if constexpr (sizeof(Key) != sizeof(Row)) {
      if (kind == layout::packed) {
        auto* const words = static_cast<std::uint32_t*>(keys_or_pairs) + packed_pairs<Key, Row>::words_per_pair * slot;
        put_words(words, key);
        put_words(words + sizeof(Key) / 4, row);
        return;
      }
    }
    // Writes padding bytes too, so that equal indexes give equal files.
    using half = std::conditional_t<(sizeof(Key) > sizeof(Row)), Key, Row>;
    struct alignas(typename aos_pairs<Key, Row>::pair) whole {
      half key, row;
    };
    static_cast<whole*>(keys_or_pairs)[slot] = {key, row};
  }

 private:
  template <class T> WDX_HD static void put_words(std::uint32_t* to, T value) {
    for (unsigned i = 0; i < sizeof(T) / 4; ++i) to[i] = static_cast<std::uint32_t>(value >> 32 * i);
  }
};

/// Makes slot `from + i` empty.
template <class Key, class Row> struct write_gap {
  pair_writer<Key, Row> to;
  std::uint64_t from;
  WDX_HD void operator()(std::uint64_t i) const { to.put(from + i, no_entry<Key, Row>()); }
};

}  // namespace warpdex
