// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tables/keys.hpp"

#include <warpdex/index.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>

/// @file
/// Results of lookups on the host. Batches are cut into parts, so results need a bounded amount of memory.
namespace warpdex::cli {

/// Probes per call: enough for the index to be fast, and few enough for results to stay small.
inline constexpr std::uint64_t probes_per_call = std::uint64_t{1} << 20;

/// Matches per call, unless one probe alone has more.
inline constexpr std::uint64_t matches_per_call = std::uint64_t{1} << 22;

/// Row ids of either width, on the host.
class row_array {
 public:
  row_array(std::uint64_t capacity, row_type type)
      : bytes_(std::make_unique_for_overwrite<std::byte[]>(capacity * size_of(type))), type_(type) {}

  /// All of `rows`, copied to the host.
  row_array(row_column const& rows, execution const& exec) : row_array(rows.size, rows.type) {
    if (rows.size != 0) copy(bytes_.get(), rows.data, rows.size * size_of(rows.type), exec);
  }

  /// All rows of `found`, copied to the host.
  row_array(matches const& found, row_type type, execution const& exec)
      : row_array(row_column(found.rows.data(), found.total, type), exec) {}

  row_output output(std::uint64_t size) noexcept { return {bytes_.get(), size, type_}; }

  /// Moves the answers to `probes.keys(first, count)` to the positions of their cells; cells without a key have no row.
  void spread(tables::key_column const& probes, std::uint64_t first, std::uint64_t count) noexcept {
    constexpr unsigned char no_row_byte = 0xff;
    probes.spread(first, count, bytes_.get(), size_of(type_), no_row_byte);
  }

  bool missing(std::uint64_t i) const noexcept {
    return type_ == row_type::u32 ? load<std::uint32_t>(i) == no_row<std::uint32_t>
                                  : load<std::uint64_t>(i) == no_row<std::uint64_t>;
  }

  /// @param row of the width of this array
  void set(std::uint64_t i, std::uint64_t row) noexcept {
    std::memcpy(bytes_.get() + i * size_of(type_), &row, size_of(type_));  // the lowest bytes come first
  }

  std::uint64_t operator[](std::uint64_t i) const noexcept {
    return type_ == row_type::u32 ? load<std::uint32_t>(i) : load<std::uint64_t>(i);
  }

 private:
  template <class Row> Row load(std::uint64_t i) const noexcept {
    Row row;
    std::memcpy(&row, bytes_.get() + i * sizeof row, sizeof row);
    return row;
  }

  std::unique_ptr<std::byte[]> bytes_;
  row_type type_;
};

/// Moves the counts of `probes.keys(first, count)` to the positions of their cells; cells without a key count 0.
inline void spread_counts(tables::key_column const& probes, std::uint64_t first, std::uint64_t count,
                          std::span<std::uint64_t> counts) noexcept {
  probes.spread(first, count, counts.data(), sizeof counts[0], 0);
}

/// Calls `run(first, count)` for parts of [0, size) of at most `most`, in order.
template <class Run> void for_each_call(std::uint64_t size, Run const& run, std::uint64_t most = probes_per_call) {
  for (std::uint64_t first = 0; first < size; first += most) {
    run(first, std::min(most, size - first));
  }
}

/// Calls `run(first, count)` for consecutive parts of a batch with `matches_per_call` matches or fewer each;
/// a part of one probe may have more. `counts` are the matches of each probe.
template <class Run> void for_each_bounded_call(std::span<std::uint64_t const> counts, Run const& run) {
  std::uint64_t first = 0;
  std::uint64_t matches = 0;
  for (std::uint64_t i = 0; i < counts.size(); ++i) {
    if (i > first && counts[i] > matches_per_call - std::min(matches, matches_per_call)) {
      run(first, i - first);
      first = i;
      matches = 0;
    }
    matches += counts[i];
  }
  if (first < counts.size()) run(first, counts.size() - first);
}

}  // namespace warpdex::cli
