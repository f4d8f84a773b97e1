// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/steps.hpp"
#include "backend/strings/strings.hpp"
#include "base/validity_bits.hpp"
#include "clients/networks/ip_text.hpp"
#include "clients/networks/network_tables.hpp"

/// @file
/// What is done per network and per address, for host and device. Arrays are within reach of the backend.
namespace warpdex {

/// A column of addresses.
struct address_source {
  key_type type = key_type::u128;  ///< u32, u128 or bytes
  void const* numbers = nullptr;
  string_source texts = {};
  validity_bits valid = {};
  std::uint8_t const* flags = nullptr;  ///< of each whether it is an address; null if all but nulls are

  WDX_HD bool is_valid(std::uint64_t i) const { return flags == nullptr ? valid(i) : flags[i] != 0; }

  /// @return the address with number `i`, which is no text
  WDX_HD u128 at(std::uint64_t i) const {
    return type == key_type::u32 ? address_of(load_element<std::uint32_t>(numbers, i)) : load_element<u128>(numbers, i);
  }

  /// @return the addresses from number `i` on
  address_source from(std::uint64_t i) const {
    address_source rest{type, numbers, texts.from(i), valid.from(i), flags == nullptr ? nullptr : flags + i};
    if (numbers != nullptr) rest.numbers = static_cast<std::byte const*>(numbers) + i * size_of(type);
    return rest;
  }

  WDX_HD ip_fault read(std::uint64_t i, u128& number) const {
    if (type == key_type::bytes) return read_address(texts.at(i), number);
    number = at(i);
    return ip_fault::none;
  }
};

/// Networks as texts, or as addresses and lengths.
struct network_source {
  address_source from;
  std::uint8_t const* lengths = nullptr;  ///< null if texts say them
  bool masks = false;

  WDX_HD ip_fault read(std::uint64_t i, ip_network& network) const {
    if (lengths == nullptr) return read_network(from.texts.at(i), masks, network);
    if (ip_fault const fault = from.read(i, network.address); fault != ip_fault::none) return fault;
    int const before = bits_before(network.address);
    network.bits = before + lengths[i];
    return network.bits > 128 ? ip_fault::length : mask_network(network, masks);
  }
};

namespace network_steps {

/// Writes address `i`, 0 for a null. Holds if it is none and has no flag, which would make it a null.
struct is_no_address {
  address_source from;
  void* addresses;
  std::uint8_t* flags;  ///< null if there are none
  WDX_HD bool operator()(std::uint64_t i) const {
    u128 number = 0;
    bool const valid = from.valid(i), fails = valid && from.read(i, number) != ip_fault::none;
    store_element(addresses, i, fails ? u128{0} : number);
    if (flags != nullptr) flags[i] = valid && !fails ? 1 : 0;
    return fails && flags == nullptr;
  }
};

/// Writes network `i`, 0 for a null. Holds if it is none and has no flag; its length then says why.
struct is_no_network {
  network_source source;
  void* addresses;
  std::uint8_t* lengths;
  std::uint8_t* flags;  ///< null if there are none
  WDX_HD bool operator()(std::uint64_t i) const {
    ip_network network;
    bool const valid = source.from.valid(i);
    ip_fault const fault = valid ? source.read(i, network) : ip_fault::none;
    bool const fails = fault != ip_fault::none;
    if (flags != nullptr) flags[i] = valid && !fails ? 1 : 0;
    if (fails && flags != nullptr) network = {};
    store_element(addresses, i, network.address);
    int const length = network.bits - bits_before(network.address);
    lengths[i] = static_cast<std::uint8_t>(fails && flags == nullptr ? static_cast<int>(fault) : length);
    return fails && flags == nullptr;
  }
};

/// Writes the row of the longest network around address `i`.
struct find_longest {
  address_source from;  ///< without texts
  network_tables tables;
  void* rows;  ///< of 32 bits, on the host at any address

  WDX_HD void operator()(std::uint64_t i) const { write(i, row_of(i)); }

  /// The same of addresses [begin, end), on the host.
  void run_part(std::uint64_t begin, std::uint64_t end) const;

  /// @param row of address `i`, which may be null
  WDX_HD void write(std::uint64_t i, std::uint32_t row) const {
    store_element(rows, i, from.is_valid(i) ? answer(row) : no_row<std::uint32_t>);
  }
  WDX_HD static std::uint32_t answer(std::uint32_t row) { return row == no_network ? no_row<std::uint32_t> : row; }

 private:
  WDX_HD std::uint32_t row_of(std::uint64_t i) const {
    if (from.type == key_type::u32) return tables.ipv4.find(load_element<std::uint32_t>(from.numbers, i));
    u128 const address = load_element<u128>(from.numbers, i);
    if (is_ipv4(address)) return tables.ipv4.find(static_cast<std::uint32_t>(address));
    return tables.is_wide ? tables.ipv6<u128>().find(address) : tables.ipv6<std::uint64_t>().find(address);
  }
};

/// The networks around each one. Arrays have an element per row.
struct network_paths {
  std::uint32_t const* counts;   ///< how many hold the addresses of this one, with itself and those that equal it
  std::uint32_t const* last;     ///< of the first of equal ones: the last of them
  std::uint32_t const* before;   ///< the one before it on the path from short to long; any for the first
  std::uint32_t const* lengths;  ///< as their families count them
};

/// Holds if a network that is asked for has a length beyond those of its family.
struct is_too_long {
  address_source from;
  std::uint8_t const* lengths;
  WDX_HD bool operator()(std::uint64_t i) const {
    return from.is_valid(i) && lengths[i] > 128 - bits_before(from.at(i));
  }
};

/// Replaces the longest network around an address by the longest that holds all of its network.
struct take_holder {
  address_source from;
  std::uint8_t const* lengths;
  network_paths paths;
  void* rows;  ///< of 32 bits, on the host at any address
  WDX_HD void operator()(std::uint64_t i) const {
    auto row = load_element<std::uint32_t>(rows, i);
    if (row == no_row<std::uint32_t>) return;
    std::uint32_t const length = lengths[i];
    if (paths.lengths[row] > length) row = around(row, length);
    bool const fits = length <= static_cast<unsigned>(128 - bits_before(from.at(i)));
    store_element(rows, i, fits ? row : no_row<std::uint32_t>);
  }

 private:
  /// @return the first of the longest networks around a longer one that are no longer than a length
  WDX_HD std::uint32_t around(std::uint32_t row, std::uint32_t length) const {
    std::uint32_t left = paths.counts[row];
    for (row = paths.last[row]; left != 0 && paths.lengths[row] > length; --left) row = paths.before[row];
    if (left == 0) return no_row<std::uint32_t>;
    for (; left > 1 && paths.lengths[paths.before[row]] == paths.lengths[row]; --left) row = paths.before[row];
    return row;
  }
};

/// Holds if a row of a file has a path that leads out of it.
struct leads_astray {
  network_paths paths;
  std::uint64_t size;
  WDX_HD bool operator()(std::uint64_t i) const {
    return paths.counts[i] > size || paths.last[i] >= size || paths.before[i] >= size;
  }
};

/// Counts the networks around an address whose longest one is known.
struct count_around {
  network_paths paths;
  std::uint32_t const* rows;
  std::uint64_t* counts;
  WDX_HD void operator()(std::uint64_t i) const {
    counts[i] = rows[i] == no_row<std::uint32_t> ? 0 : paths.counts[rows[i]];
  }
};

/// Writes them, from short to long.
struct write_around {
  network_paths paths;
  std::uint32_t const* rows;
  std::uint64_t const* offsets;
  std::uint32_t* to;
  WDX_HD void operator()(std::uint64_t i) const {
    std::uint64_t at = offsets[i + 1];
    if (at == offsets[i]) return;
    for (std::uint32_t row = paths.last[rows[i]];; row = paths.before[row]) {
      to[--at] = row;
      if (at == offsets[i]) return;
    }
  }
};

struct all : steps::list<steps::runs<find_longest, take_holder, count_around>, steps::runs_lists<write_around>,
                         steps::finds_first<is_no_address, is_no_network, is_too_long, leads_astray>> {};
all list_of_step(...);

}  // namespace network_steps
}  // namespace warpdex
