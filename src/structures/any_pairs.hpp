// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/codec.hpp>
#include <warpdex/search/pairs.hpp>

/// @file
/// Pairs whose layout and width of rows are known at run time. Only searches are compiled per layout. Builds, checks,
/// updates and copies are bound by memory, so they are compiled once per key width.
namespace warpdex {

/// The key and the row of an entry in registers.
template <class Key, class Row = std::uint64_t> struct entry {
  Key key;
  Row row;
};

/// @return the contents of a slot without an entry: the largest key, and the row id that no index holds
template <class Key, class Row = std::uint64_t> WDX_HD entry<Key, Row> no_entry() {
  return {static_cast<Key>(-1), no_row<Row>};
}

/// Writes row ids of 32 or 64 bits, or other numbers of the width of row ids.
struct row_writer {
  void* data;
  bool wide;

  WDX_HD void put(std::uint64_t i, std::uint64_t row) const {
    if (wide) static_cast<std::uint64_t*>(data)[i] = row;
    else static_cast<std::uint32_t*>(data)[i] = static_cast<std::uint32_t>(row);
  }
};

/// Reads pairs.
/// @tparam Row of the values that `row` returns @tparam Position of slots
template <class Key, class Row, class Position = position_of<Row>> struct any_pairs {
  using key_type = Key;
  using row_type = Row;
  using position = Position;

  layout kind;
  void const* keys_or_pairs;  ///< keys in SoA, else pairs
  row_ids rows;               ///< in SoA; in other layouts their width alone

  any_pairs() = default;
  template <class Pairs>
  requires requires { Pairs::kind; }
  any_pairs(Pairs const& pairs)
      : kind(Pairs::kind), keys_or_pairs(pairs.key_address(0)), rows(rows_of(pairs), pairs.row_bytes() == 8) {}

  WDX_HD Key key(std::uint64_t slot) const {
    if (kind == layout::soa) return static_cast<Key const*>(keys_or_pairs)[slot];
    return in_pairs([slot](auto const& pairs) { return pairs.key(slot); });
  }
  WDX_HD Row row(std::uint64_t slot) const {
    if (kind == layout::soa) return static_cast<Row>(rows[slot]);
    return static_cast<Row>(in_pairs([slot](auto const& pairs) {
      auto const row = pairs.row(slot);
      return row == static_cast<decltype(row)>(-1) ? no_row<std::uint64_t> : std::uint64_t{row};
    }));
  }
  WDX_HD entry<Key, Row> at(std::uint64_t slot) const { return {key(slot), row(slot)}; }
  WDX_HD std::size_t row_bytes() const { return rows.bytes(); }

 private:
  template <class Pairs> static void const* rows_of([[maybe_unused]] Pairs const& pairs) {
    if constexpr (requires { pairs.rows.data; }) return pairs.rows.data;
    else if constexpr (Pairs::kind == layout::soa) return pairs.rows;
    else return nullptr;
  }

  template <class Read> WDX_HD auto in_pairs(Read const& read) const {
    if (rows.wide) return in_layout<std::uint64_t>(read);
    return in_layout<std::uint32_t>(read);
  }
  template <class Stored, class Read> WDX_HD auto in_layout(Read const& read) const {
    if constexpr (sizeof(Key) != sizeof(Stored))
      if (kind == layout::packed)
        return read(packed_pairs<Key, Stored>{static_cast<std::uint32_t const*>(keys_or_pairs)});
    return read(aos_pairs<Key, Stored>{static_cast<typename aos_pairs<Key, Stored>::pair const*>(keys_or_pairs)});
  }
};

/// The entries of a structure with ranks.
template <class Key, class Position> using any_entries = any_pairs<Key, std::uint64_t, Position>;

/// Writes pairs.
template <class Key> struct pair_writer {
  layout kind;
  void* keys_or_pairs;
  row_writer rows;  ///< in SoA; in other layouts their width alone

  template <class Row> WDX_HD void put(std::uint64_t slot, entry<Key, Row> const& pair) const {
    put(slot, pair.key, pair.row);
  }
  WDX_HD void put(std::uint64_t slot, Key key, std::uint64_t row) const {
    if (kind == layout::soa) {
      static_cast<Key*>(keys_or_pairs)[slot] = key;
      rows.put(slot, row);
    } else if (rows.wide) {
      put_pair<std::uint64_t>(slot, key, row);
    } else {
      put_pair<std::uint32_t>(slot, key, static_cast<std::uint32_t>(row));
    }
  }

 private:
  template <class Row> WDX_HD void put_pair(std::uint64_t slot, Key key, Row row) const {
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
  template <class T> WDX_HD static void put_words(std::uint32_t* to, T value) {
    for (unsigned i = 0; i < sizeof(T) / 4; ++i) to[i] = static_cast<std::uint32_t>(value >> 32 * i);
  }
};

/// Makes slot `from + i` empty.
template <class Key> struct write_gap {
  pair_writer<Key> to;
  std::uint64_t from;
  WDX_HD void operator()(std::uint64_t i) const { to.put(from + i, no_entry<Key>()); }
};

}  // namespace warpdex
