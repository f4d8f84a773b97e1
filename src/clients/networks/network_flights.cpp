// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "backend/cpu/isa.hpp"
#include "clients/networks/network_steps.hpp"
#include "clients/networks/tuning.hpp"

/// @file
/// Addresses in tables of networks, on the CPU: those of a flight take turns, and each prefetches what it reads next.
namespace warpdex {
namespace {

constexpr int flight_size = tuning::flight_of_addresses;
constexpr int flights_at_once = 3;  ///< one begins, one has read its first nodes, and one ends

/// The addresses of one family in a flight.
template <class Key> struct family {
  Key keys[flight_size];
  std::uint32_t rows[flight_size];
  std::uint8_t places[flight_size];  ///< in the flight
  std::uint32_t at[flight_size];     ///< of pending ones: what they read next
  std::uint8_t pending[flight_size];
  int size, left;  ///< addresses, and pending ones

  /// Takes an address, if it is of this family.
  void take(bool is_own, Key key, int place) {
    keys[size] = key;
    places[size] = static_cast<std::uint8_t>(place);
    size += is_own ? 1 : 0;
  }

  void begin(ipv4_table const& in) {
    for (int j = 0; j < size; ++j) prefetch(in.nodes + (keys[j] >> in.shift));
  }
  void visit(ipv4_table const& in) {
    for (int j = 0; j < size; ++j) {
      at[j] = in.nodes[keys[j] >> in.shift].place_of(keys[j]);
      prefetch(in.answers + at[j]);
    }
  }
  void end(ipv4_table const& in) {
    std::uint32_t answers = 0;
    for (int j = 0; j < size; ++j) answers |= rows[j] = in.answers[at[j]];
    if ((answers & leads_on) == 0) return;
    for (int j = 0; j < size; ++j) rows[j] = in.finish(keys[j], rows[j]);
  }

  void begin(ipv6_table<Key> const& in) {
    left = size;
    for (int j = 0; j < size; ++j) {
      pending[j] = static_cast<std::uint8_t>(j);
      at[j] = static_cast<std::uint32_t>(keys[j] >> in.shift);
      prefetch(in.cells + at[j]);
    }
  }
  /// Reads a cell per pending address, and keeps those whose cell is divided.
  void visit(ipv6_table<Key> const& in) {
    int const count = left;
    left = 0;
    for (int k = 0; k < count; ++k) {
      int const j = pending[k];
      ipv6_cell<Key> const& cell = in.cells[at[k]];
      rows[j] = cell.row_of(keys[j]);
      bool const goes_on = cell.is_divided();
      at[left] = select(goes_on, cell.cell_of(keys[j]), 0u);
      pending[left] = static_cast<std::uint8_t>(j);
      prefetch(in.cells + at[left]);
      left += goes_on ? 1 : 0;
    }
  }
  void end(ipv6_table<Key> const& in) {
    while (left != 0) visit(in);
  }
};

template <class Key> struct flight {
  std::uint64_t first;
  family<std::uint32_t> ipv4;
  family<Key> ipv6;

  void begin(network_steps::find_longest const& of, std::uint64_t from, int size) {
    first = from;
    ipv4.size = ipv6.size = 0;
    for (int j = 0; j < size; ++j) {
      std::uint64_t const i = first + static_cast<unsigned>(j);
      if (of.from.type == key_type::u32) {
        ipv4.take(true, load_element<std::uint32_t>(of.from.numbers, i), j);
        continue;
      }
      u128 const address = load_element<u128>(of.from.numbers, i);
      bool const is_number = is_ipv4(address);
      ipv4.take(is_number, static_cast<std::uint32_t>(address), j);
      ipv6.take(!is_number, ipv6_table<Key>::key_of(address), j);
    }
    ipv4.begin(of.tables.ipv4);
    ipv6.begin(of.tables.ipv6<Key>());
  }
  void visit(network_tables const& in) {
    ipv4.visit(in.ipv4);
    ipv6.visit(in.ipv6<Key>());
  }
  void end(network_steps::find_longest const& of) {
    ipv4.end(of.tables.ipv4);
    ipv6.end(of.tables.ipv6<Key>());
    write(of, ipv4);
    write(of, ipv6);
  }

 private:
  template <class Any> void write(network_steps::find_longest const& of, family<Any> const& found) const {
    bool const may_be_null = of.from.flags != nullptr || of.from.valid.bits != nullptr;
    if (may_be_null)
      for (int j = 0; j < found.size; ++j) of.write(first + found.places[j], found.rows[j]);
    else
      for (int j = 0; j < found.size; ++j)
        store_element(of.rows, first + found.places[j], network_steps::find_longest::answer(found.rows[j]));
  }
};

template <class Key> void fly(network_steps::find_longest const& of, std::uint64_t begin, std::uint64_t end) {
  flight<Key> flights[flights_at_once];
  std::uint64_t const count = (end - begin + flight_size - 1) / flight_size;
  for (std::uint64_t f = 0; f < count + 2; ++f) {
    std::uint64_t const first = begin + f * flight_size;
    if (f < count)
      flights[f % flights_at_once].begin(of, first,
                                         static_cast<int>(std::min<std::uint64_t>(flight_size, end - first)));
    if (f >= 1 && f <= count) flights[(f - 1) % flights_at_once].visit(of.tables);
    if (f >= 2) flights[(f - 2) % flights_at_once].end(of);
  }
}

}  // namespace

void network_steps::find_longest::run_part(std::uint64_t begin, std::uint64_t end) const {
  run_on_isa([&] {
    if (tables.is_wide && from.type != key_type::u32) fly<u128>(*this, begin, end);
    else fly<std::uint64_t>(*this, begin, end);
  });
}

}  // namespace warpdex
