// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/networks.hpp>

#include "clients/networks/network_steps.hpp"

namespace warpdex {

/// What networks are made of.
struct networks::parts {
  std::uint64_t size;
  index ipv4;
  index ipv6;
  detail::network_arrays tables;
  buffer paths;
};

/// @param ipv6 the index over the borders of IPv6
inline network_tables tables_in(detail::network_arrays const& from, index const& ipv6) {
  ipv4_table const ipv4{from.nodes.as<ipv4_node>(), from.answers.as<std::uint32_t>(), from.ipv4_shift};
  return {ipv4, from.cells.data(), from.ipv6_shift, ipv6.key_type() == key_type::u128};
}

/// @param numbers four per row, one array after the other
inline network_steps::network_paths paths_in(buffer const& numbers, std::uint64_t size) {
  auto const* const counts = numbers.as<std::uint32_t>();
  return {counts, counts + size, counts + 2 * size, counts + 3 * size};
}

}  // namespace warpdex
