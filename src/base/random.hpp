// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace warpdex {

/// @return an unpredictable number from the system's source of randomness
/// @throws io_error if the system has none
std::uint64_t random_number();

}  // namespace warpdex
