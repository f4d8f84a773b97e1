// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "groups.hpp"
#include "keys.hpp"

#include <warpdex/join.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace warpdex::tables {

/// All cells of a column, each at its place. Those that are left out are null.
class nullable_cells {
 public:
  /// @param keys must outlive this object
  explicit nullable_cells(key_column const& keys) : cells_(keys.keys()) {
    if (keys.left_out().empty()) return;
    column const present = keys.keys();
    std::size_t const width = size_of(present.type);
    spread_ = std::make_unique_for_overwrite<std::byte[]>(keys.size() * width);
    if (present.size != 0) std::memcpy(spread_.get(), present.data, present.size * width);
    keys.spread(0, keys.size(), spread_.get(), width, 0);
    set(column(spread_.get(), keys.size(), present.type), keys.left_out());
  }

  explicit nullable_cells(group_column groups) : numbers_(std::move(groups.numbers)) {
    set(std::span<std::uint64_t const>(numbers_), groups.left_out);
  }

  nullable_cells(nullable_cells const&) = delete;
  nullable_cells& operator=(nullable_cells const&) = delete;

  nullable_column const& all() const noexcept { return cells_; }

  nullable_column part(std::uint64_t first, std::uint64_t count) const noexcept {
    if (cells_.type == key_type::bytes) return {part_of(cells_, first, count), cells_.validity, first};
    auto const* const data = static_cast<std::byte const*>(cells_.data) + first * size_of(cells_.type);
    return {column(data, count, cells_.type), cells_.validity, first};
  }

 private:
  void set(column cells, std::span<std::uint64_t const> nulls) {
    cells_ = cells;
    if (nulls.empty()) return;
    validity_.assign((cells.size + 7) / 8, 0xff);
    for (std::uint64_t const i : nulls) validity_[i / 8] &= static_cast<std::uint8_t>(~(1u << i % 8));
    cells_.validity = validity_.data();
  }

  std::unique_ptr<std::byte[]> spread_;  ///< keys with room for nulls between them
  std::vector<std::uint64_t> numbers_;   ///< of groups
  std::vector<std::uint8_t> validity_;
  nullable_column cells_;
};

}  // namespace warpdex::tables
