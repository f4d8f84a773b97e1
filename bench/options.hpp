// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/sharded.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// The values of options.
namespace warpdex::bench {

/// Reads `67108864`, `67_108_864`, `2^26`, `1e6`, or thousands, millions and milliards as `1K`, `1M` and `1G`. @throws
/// usage_error naming `option`
std::uint64_t parse_number(std::string_view option, std::string_view text, std::uint64_t lowest, std::uint64_t highest);

/// Splits at the commas outside brackets, and drops blanks after them.
std::vector<std::string> split_list(std::string_view text);

/// @return the number of cores that the process may run on
int usable_cores();

/// Reads `1,2,0`; 0 means all cores. @throws usage_error
std::vector<int> parse_threads(std::string_view text);

/// Reads what `--devices` names: `0,1` for GPUs, `cpu,cpu` for parts of a CPU.
/// @return ordinals of devices; -1 for the host
/// @throws usage_error for another word, and for a device that is named twice
std::vector<int> parse_devices(std::string_view text);

/// @param devices as `parse_devices` returns them
/// @param threads of places on the host, 0 for all cores
/// @throws device_error for a device that is not there
std::vector<shard_place> places_on(std::span<int const> devices, int threads);

}  // namespace warpdex::bench
