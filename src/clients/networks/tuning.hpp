// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

/// @file
/// Numbers of the tables of networks that were chosen by measurement (docs/performance/questions.md).
namespace warpdex::tuning {

/// Leading bits of addresses that number nodes or cells, at most. After those of IPv4 the cells of a node are /24.
inline constexpr int leading_bits_of_ipv4 = 18;
inline constexpr int leading_bits_of_ipv6 = 18;

/// Addresses that take turns on the CPU.
inline constexpr int flight_of_addresses = 64;

}  // namespace warpdex::tuning
