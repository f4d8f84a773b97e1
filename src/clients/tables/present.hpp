// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/chunked_keys.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace warpdex::chunks {

/// Columns of numbers of one side, without the rows that match nothing: those where a value is null or equals no key.
struct present_rows {
  std::vector<column> columns = {};
  std::shared_ptr<std::uint64_t[]> kept = nullptr;  ///< which rows they are; null for all
  std::uint64_t size = 0;
  std::vector<std::shared_ptr<void const>> held = {};
};

/// @return such rows of both sides, if their columns have the same types of numbers of at most 8 bytes, and the last
/// ones begin in order, so that they may ascend
std::optional<std::pair<present_rows, present_rows>> mergeable(std::span<encoded_keys const> left,
                                                               std::span<encoded_keys const> right, int threads);

}  // namespace warpdex::chunks
