// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace warpdex {

/// @return bytes of the current device's memory that are free
/// @throws device_error; unsupported if the library was built without CUDA
std::uint64_t free_device_memory();

}  // namespace warpdex
