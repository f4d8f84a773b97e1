// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/networks.hpp>

#include "clients/networks/network_steps.hpp"
#include "request/staging.hpp"

/// @file
/// Columns of addresses and networks: checked, brought within reach of a backend, and read.
namespace warpdex {

/// What messages call a column and its validity.
struct ip_names {
  char const* values;
  char const* valid;
};

/// @throws invalid_argument for a type that holds no addresses, and an impossible length
void expect_addresses(char const* call, ip_names names, column const& c);

/// @return the column within reach of the backend
/// @throws invalid_argument as `staging`
address_source stage_addresses(nullable_column const& from, ip_names names, staging& stage);

/// Writes the addresses that texts say, 0 for a null. Synchronises.
/// @param first the row of the first text
/// @param flags written: of each whether it is an address; null if a text that says none is an error
/// @throws invalid_argument for the first text that says none
void read_texts(char const* call, address_source const& from, std::uint64_t first, std::uint64_t size, void* to,
                std::uint8_t* flags, execution const& exec);

/// Writes networks as addresses and lengths, 0 for a null. Synchronises.
/// @param flags as of `read_texts`
/// @throws invalid_argument for the first row that is none
void read_networks(char const* call, network_source const& source, std::uint64_t first, std::uint64_t size,
                   void* addresses, std::uint8_t* lengths, std::uint8_t* flags, execution const& exec);

}  // namespace warpdex
