// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/sharded.hpp>

#include <span>
#include <string_view>
#include <vector>

namespace warpdex {

/// Reads what `--devices` names: `0,1` for GPUs, `cpu,cpu` for parts of a CPU.
/// @return ordinals of devices; -1 for the host
/// @throws usage_error for another word, and for a device that is named twice
std::vector<int> parse_devices(std::string_view text);

/// @param devices as `parse_devices` returns them
/// @param threads of places on the host, 0 for all cores
/// @throws device_error for a device that is not there
std::vector<shard_place> places_on(std::span<int const> devices, int threads);

}  // namespace warpdex
