// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

#include <warpdex/search/hash_bytes.hpp>

#include "backend/steps.hpp"

/// @file
/// What is done with all row ids of an index, for host and device.
namespace warpdex::row_steps {

/// One more than the greatest of some row ids, so that `no_row` counts as none.
template <class Row> struct row_limit {
  Row rows = 0;

  WDX_HD row_limit with(row_limit const& other) const { return {rows < other.rows ? other.rows : rows}; }
};

/// Which slots of chains have the numbers of nodes in the place of row ids: the last one of each node.
struct chain_links {
  std::uint64_t base_slots = 0;    ///< slots of all base nodes; 0 if there are no chains
  std::uint64_t in_base_node = 1;  ///< slots of a base node
  std::uint64_t in_other_node = 1;

  WDX_HD bool has(std::uint64_t slot) const {
    return base_slots != 0 && (slot + 1) % (slot < base_slots ? in_base_node : in_other_node) == 0;
  }
};

/// The row id in slot number i, if it is not empty.
struct row_in_slot {
  char const* rows;  ///< the first one
  std::size_t stride;
  std::size_t width;
  char const* records;  ///< of strings, where slots have their numbers in the place of row ids; else null
  chain_links links;

  static constexpr std::size_t record_unit = string_records<std::uint32_t>::unit;

  /// Rows in packed pairs begin at any multiple of 4 bytes.
  WDX_HD std::uint64_t read(char const* from) const {
    auto const* const words = reinterpret_cast<std::uint32_t const*>(from);
    return width == sizeof(std::uint32_t) ? words[0] : words[0] | std::uint64_t{words[1]} << 32;
  }
  WDX_HD row_limit<std::uint64_t> operator()(std::uint64_t i) const {
    std::uint64_t const none = width == sizeof(std::uint32_t) ? no_row<std::uint32_t> : no_row<std::uint64_t>;
    std::uint64_t const row = read(rows + i * stride);
    if (row == none || links.has(i)) return {};
    return {(records == nullptr ? row : read(records + row * record_unit + width)) + 1};
  }
};

/// The same where nothing else is between them.
template <class Row> struct row_in_array {
  Row const* rows;
  WDX_HD row_limit<Row> operator()(std::uint64_t i) const { return {static_cast<Row>(rows[i] + 1)}; }
};

/// Writes row id i with 64 bits.
struct widen_row {
  std::uint32_t const* from;
  std::uint64_t* to;
  WDX_HD void operator()(std::uint64_t i) const { to[i] = from[i]; }
};

struct all : steps::list<steps::runs<widen_row>,
                         steps::reduces<row_in_slot, row_in_array<std::uint32_t>, row_in_array<std::uint64_t>>> {};
all list_of_step(...);

}  // namespace warpdex::row_steps
