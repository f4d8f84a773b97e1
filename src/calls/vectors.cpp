// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/index.hpp>

#include "base/call.hpp"
#include "calls/expect.hpp"

/// @file
/// Lookups of one key, answers in vectors, and typed access to matches.
namespace warpdex {
namespace {

/// Runs a lookup that writes one value per probe.
template <class T, class Lookup> std::vector<T> in_vector(char const* call, std::uint64_t size, Lookup const& lookup) {
  auto answers = detail::answers<T>(call, size);
  lookup(std::span(answers));
  return answers;
}

}  // namespace

std::optional<std::uint64_t> index::find_one(column probe, execution const& exec) const {
  auto const ask = [&]<class Row>(Row row) -> std::optional<std::uint64_t> {
    find(probe, row_output(&row, 1, row_type()), exec);
    if (row == no_row<Row>) return std::nullopt;
    return row;
  };
  return row_type() == row_type::u32 ? ask(std::uint32_t{0}) : ask(std::uint64_t{0});
}

std::vector<std::uint8_t> index::contains(column probes, execution const& exec) const {
  return in_vector<std::uint8_t>("contains", probes.size,
                                 [&](std::span<std::uint8_t> out) { contains(probes, out, exec); });
}

std::vector<std::uint64_t> index::count(column probes, execution const& exec) const {
  return in_vector<std::uint64_t>("count", probes.size,
                                  [&](std::span<std::uint64_t> out) { count(probes, out, exec); });
}

std::vector<std::uint64_t> index::lower_bound(column probes, execution const& exec) const {
  return in_vector<std::uint64_t>("lower_bound", probes.size,
                                  [&](std::span<std::uint64_t> out) { lower_bound(probes, out, exec); });
}

std::vector<std::uint64_t> index::upper_bound(column probes, execution const& exec) const {
  return in_vector<std::uint64_t>("upper_bound", probes.size,
                                  [&](std::span<std::uint64_t> out) { upper_bound(probes, out, exec); });
}

std::vector<std::uint64_t> index::range_count(column lower, column upper, execution const& exec) const {
  return in_vector<std::uint64_t>("range_count", lower.size,
                                  [&](std::span<std::uint64_t> out) { range_count(lower, upper, out, exec); });
}

std::vector<std::uint64_t> index::range_sum(column lower, column upper, execution const& exec) const {
  return in_vector<std::uint64_t>("range_sum", lower.size,
                                  [&](std::span<std::uint64_t> out) { range_sum(lower, upper, out, exec); });
}

std::vector<std::uint64_t> index::prefix_count(column prefixes, execution const& exec) const {
  return in_vector<std::uint64_t>("prefix_count", prefixes.size,
                                  [&](std::span<std::uint64_t> out) { prefix_count(prefixes, out, exec); });
}

std::vector<std::uint64_t> index::prefix_sum(column prefixes, execution const& exec) const {
  return in_vector<std::uint64_t>("prefix_sum", prefixes.size,
                                  [&](std::span<std::uint64_t> out) { prefix_sum(prefixes, out, exec); });
}

void matches::expect_rows(warpdex::row_type asked) const {
  if (asked != row_type)
    throw invalid_argument("matches: the row ids are of type " + std::string(to_string(row_type)) + ", not " +
                           std::string(to_string(asked)));
}

void matches::expect_probe(std::uint64_t probe) const {
  if (offsets.data() == nullptr) throw invalid_argument("matches: they were moved from");
  if (probe >= probes)
    throw invalid_argument("matches: number " + std::to_string(probe) + " of " + std::to_string(probes) + " probes");
}

}  // namespace warpdex
