// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/error.hpp>
#include <warpdex/stop.hpp>
#include <warpdex/types.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace warpdex {

/// Borders of disjoint intervals: all numbers from keys[i] up to, but not including, keys[i + 1] have rows[i]. The
/// first border is 0, and neighbours have different rows.
template <class Key, class Row> struct border_list {
  std::vector<Key> keys;  ///< ascending
  std::vector<Row> rows;  ///< as many
};

namespace detail {

template <class Key, class Row> class border_writer {
 public:
  /// Says that numbers from `key` on have this row. Keys do not descend; of several rows for a key the last counts.
  void begin(Key key, Row row) {
    if (!list.keys.empty() && list.keys.back() == key) {
      list.keys.pop_back();
      list.rows.pop_back();
    }
    if (!list.rows.empty() && list.rows.back() == row) return;
    list.keys.push_back(key);
    list.rows.push_back(row);
  }

  border_list<Key, Row> list;
};

/// Walks over prefixes in the order of their addresses, a wider one before those inside it.
/// @param note note(i, around, equal) is called for each prefix i: `around` is the number of the narrowest one around
/// it, or that of prefixes if there is none; if `equal` it is the first one that prefix i equals, and prefix i has no
/// borders of its own
template <class Key, class Row, class Note>
border_list<Key, Row> walk_prefixes(std::span<Key const> addresses, std::span<std::uint8_t const> bits,
                                    std::span<Row const> rows, Row row_of_none, Note const& note) {
  std::size_t const n = addresses.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::uint64_t compared = 0;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (++compared % (1 << 16) == 0) stop_scope::look();
    if (addresses[a] != addresses[b]) return addresses[a] < addresses[b];
    return bits[a] != bits[b] ? bits[a] < bits[b] : a < b;
  });
  border_writer<Key, Row> borders;
  borders.begin(0, row_of_none);
  std::vector<std::size_t> open;  // prefixes around the current number, each inside of the one before it
  auto const last_of = [&](std::size_t i) { return prefix_range(addresses[i], bits[i]).upper; };
  auto const close_innermost = [&] {
    Key const last = last_of(open.back());
    open.pop_back();
    if (last != static_cast<Key>(-1))
      borders.begin(static_cast<Key>(last + 1), open.empty() ? row_of_none : rows[open.back()]);
  };
  for (std::size_t const i : order) {
    while (!open.empty() && last_of(open.back()) < addresses[i]) close_innermost();
    std::size_t const around = open.empty() ? n : open.back();
    bool const equal = around != n && addresses[around] == addresses[i] && bits[around] == bits[i];
    note(i, around, equal);
    if (equal) continue;
    borders.begin(addresses[i], rows[i]);
    open.push_back(i);
  }
  while (!open.empty()) close_innermost();
  return borders.list;
}

/// The body of `prefix_borders`.
template <class Key, class Row>
border_list<Key, Row> find_borders(std::span<Key const> addresses, std::span<std::uint8_t const> bits,
                                   std::span<Row const> rows, Row row_of_none) {
  constexpr char const* call = "prefix_borders";
  constexpr int width = 8 * sizeof(Key);
  std::size_t const n = addresses.size();
  auto const fail = [](std::string const& why) { throw invalid_argument(std::string(call) + ": " + why); };
  if (bits.size() != n || rows.size() != n)
    fail(std::to_string(n) + " addresses, " + std::to_string(bits.size()) + " numbers of bits and " +
         std::to_string(rows.size()) + " rows");
  expect_array(call, "the addresses", addresses.data(), n);
  expect_array(call, "the numbers of bits", bits.data(), n);
  expect_array(call, "the rows", rows.data(), n);
  for (std::size_t i = 0; i < n; ++i) {
    std::string const prefix = "prefix " + std::to_string(i) + " has " + std::to_string(bits[i]) + " bits, ";
    if (bits[i] > width) fail(prefix + "its type " + std::to_string(width));
    if (prefix_range(addresses[i], bits[i]).lower != addresses[i]) fail(prefix + "but its address has more after them");
  }
  return walk_prefixes(addresses, bits, rows, row_of_none, [&](std::size_t i, std::size_t around, bool equal) {
    if (equal) fail("prefix " + std::to_string(i) + " equals prefix " + std::to_string(around));
  });
}

}  // namespace detail

/// Turns prefixes of numbers, such as networks of IP addresses, into borders of intervals, where of several prefixes of
/// a number the longest wins. An index built over the borders with their rows, of any structure with an order, answers
/// `floor` with the row of the longest prefix, or with `row_of_none`:
///
///     auto const borders = prefix_borders<u128, std::uint32_t>(networks, bits, rows, none);
///     index const routes = index::build("AO+BS", std::span(borders.keys), std::span(borders.rows), exec);
///     routes.floor(addresses, {}, found, exec);
///
/// Runs on the host, on the calling thread. Cost: a sort of n prefixes and one pass over them.
/// @tparam Key u32, u64 or u128; the arguments say it, as vectors do not
/// @param addresses one number per prefix, 0 after its leading bits
/// @param bits number of leading bits of each; 0 for all numbers
/// @param rows one row id per prefix; may repeat
/// @param row_of_none the row id of numbers without a prefix. An index refuses `no_row`, so the number of rows is a
/// good choice
/// @return at most 2n + 1 borders
/// @throws invalid_argument naming the position, for bits beyond the width of the type, an address with bits set after
/// its leading ones, and a prefix that an earlier one equals; also for arrays of different lengths and null pointers;
/// out_of_memory
template <class Key, class Row>
border_list<Key, Row> prefix_borders(std::span<Key const> addresses, std::span<std::uint8_t const> bits,
                                     std::span<Row const> rows, Row row_of_none) {
  return detail::run_call("prefix_borders", [&] { return detail::find_borders(addresses, bits, rows, row_of_none); });
}

}  // namespace warpdex
