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
  buffer paths;
};

/// @param numbers four per row, one array after the other
inline network_steps::network_paths paths_in(buffer const& numbers, std::uint64_t size) {
  auto const* const counts = numbers.as<std::uint32_t>();
  return {counts, counts + size, counts + 2 * size, counts + 3 * size};
}

}  // namespace warpdex
