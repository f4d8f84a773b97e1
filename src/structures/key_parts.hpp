// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

#include "structures/structure.hpp"

namespace warpdex {

/// Calls use(keys, size) for all keys of a structure with an order, some at a time, as its `keys_at` writes them.
void for_each_part_of_keys(structure const& s, execution const& exec,
                           std::function<void(void const* keys, std::uint64_t size)> const& use);

}  // namespace warpdex
