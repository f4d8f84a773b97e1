// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/index.hpp>

#include <optional>
#include <string>

namespace warpdex {

/// @return the spec of the same structure whose row ids have 64 bits
std::string spec_of_wide_rows(std::string const& text);

/// @return the same index with row ids of 64 bits; none if it has such. Synchronises
/// @throws unsupported for an index `over_sorted`; out_of_memory, device_error
std::optional<index> with_wide_rows(index& from, char const* call, execution const& exec);

}  // namespace warpdex
