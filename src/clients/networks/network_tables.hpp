// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/networks.hpp>
#include <warpdex/search/common.hpp>
#include <warpdex/types.hpp>

#include <cstdint>
#include <span>

/// @file
/// Tables that lead from an address to the row of the longest network around it, in few reads. They are made of the
/// borders of the networks (prefix_borders.hpp), and read on host and device.
///
/// IPv4 has 32 bits, of which most networks name 24: nodes divide a part of the space into 64 equal cells, and note in
/// which of them the answer changes. An address counts the changes up to its cell; that many answers after the first
/// one is its own. The first 18 bits (of small tables fewer) number the nodes among which it begins.
///
/// Networks of IPv6 crowd in few parts of a vast space. So a cell has one border at most, and its two answers; one with
/// more borders is divided into equal cells between its first and its last border.
namespace warpdex {

/// An answer with this bit leads on.
inline constexpr std::uint32_t leads_on = std::uint32_t{1} << 31;
/// The answer of addresses that no network holds. So networks have smaller rows.
inline constexpr std::uint32_t no_network = leads_on - 1;

/// 64 cells of addresses, each of 2^shift.
struct alignas(16) ipv4_node {
  static constexpr int bits = 6;  ///< of an address, that number a cell

  std::uint64_t changes;  ///< bit c: cell c has an answer of its own. Those of all such cells follow each other
  std::uint32_t first;    ///< number of the first answer
  std::uint32_t shift;

  /// @return the number of the answer for an address
  WDX_HD std::uint32_t place_of(std::uint32_t address) const {
    auto const cell = address >> shift & 63;
    return first + static_cast<std::uint32_t>(count_ones(changes << (63 - cell))) - 1;
  }
};

/// The table of IPv4.
struct ipv4_table {
  ipv4_node const* nodes;        ///< first those that the leading bits of addresses number
  std::uint32_t const* answers;  ///< rows, or with `leads_on` the numbers of further nodes
  int shift;                     ///< bits of an address after the leading ones

  WDX_HD std::uint32_t find(std::uint32_t address) const {
    return finish(address, answers[node(address >> shift).place_of(address)]);
  }

  /// @return the row that an answer leads to
  WDX_HD std::uint32_t finish(std::uint32_t address, std::uint32_t answer) const {
    while ((answer & leads_on) != 0) answer = answers[node(answer & ~leads_on).place_of(address)];
    return answer;
  }

  WDX_HD ipv4_node node(std::uint32_t number) const { return nodes[number]; }
};

/// A part of the space of IPv6.
/// @tparam Key the upper 64 bits of addresses, or all
template <class Key> struct alignas(16) ipv6_cell {
  Key border;  ///< the only one, or the first
  std::uint32_t
      before;           ///< the row of addresses before the border; or `leads_on`, how many cells follow the first of
                        ///< those that divide this one, and as the lowest `shift_bits` bits their width as a power of 2
  std::uint32_t after;  ///< the row of others, or the number of that first cell

  static constexpr int shift_bits = 7;
  static constexpr std::uint32_t most_cells = leads_on >> shift_bits;

  WDX_HD bool is_divided() const { return (before & leads_on) != 0; }
  WDX_HD std::uint32_t row_of(Key address) const { return address < border ? before : after; }
  /// @return the number of the cell inside this one
  WDX_HD std::uint32_t cell_of(Key address) const {
    Key const past = select(address < border, Key{0}, static_cast<Key>(address - border));
    Key const cell = past >> (before & (8 * sizeof(Key) - 1));
    std::uint32_t const last = (before & ~leads_on) >> shift_bits;
    return after + (cell < last ? static_cast<std::uint32_t>(cell) : last);
  }
};

/// The table of IPv6.
template <class Key> struct ipv6_table {
  ipv6_cell<Key> const* cells;  ///< first those that the leading bits of addresses number
  int shift;                    ///< bits of a key after the leading ones

  WDX_HD static Key key_of(u128 address) { return static_cast<Key>(address >> (128 - 8 * sizeof(Key))); }

  WDX_HD std::uint32_t find(u128 address) const {
    Key const key = key_of(address);
    ipv6_cell<Key> at = cells[static_cast<std::uint32_t>(key >> shift)];
    while (at.is_divided()) at = cells[at.cell_of(key)];
    return at.row_of(key);
  }
};

/// The tables of both families.
struct network_tables {
  ipv4_table ipv4;
  void const* ipv6_cells;
  int ipv6_shift;
  bool is_wide;  ///< whether keys of IPv6 are whole addresses

  template <class Key> WDX_HD ipv6_table<Key> ipv6() const {
    return {static_cast<ipv6_cell<Key> const*>(ipv6_cells), ipv6_shift};
  }
};

/// Makes the tables of borders, on the host, and moves them to the memory of `exec`. Synchronises. Cost: a pass over
/// the borders, for each level of cells that divide others.
/// @param keys ascending; the first one is 0 @param rows of networks, or `none`
/// @throws unsupported for more cells than have numbers; out_of_memory, device_error
/// @{
void make_ipv4_table(std::span<std::uint32_t const> keys, std::span<std::uint32_t const> rows, std::uint32_t none,
                     detail::network_arrays& to, execution const& exec);
template <class Key>
void make_ipv6_table(std::span<Key const> keys, std::span<std::uint32_t const> rows, std::uint32_t none,
                     detail::network_arrays& to, execution const& exec);
/// @}

}  // namespace warpdex
