// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/index.hpp>

#include "base/api_border.hpp"
#include "request/expect.hpp"

/// @file
/// Lookups of one key, answers in vectors, and typed access to matches.
namespace warpdex {

std::optional<std::uint64_t> any_index::find_one(column probe, execution const& exec) const {
  auto const ask = [&]<class Row>(Row row) -> std::optional<std::uint64_t> {
    find(probe, row_output(&row, 1, row_type()), exec);
    if (row == no_row<Row>) return std::nullopt;
    return row;
  };
  return row_type() == row_type::u32 ? ask(std::uint32_t{0}) : ask(std::uint64_t{0});
}

namespace {

/// Runs a lookup that writes one number per probe.
template <class Number>
std::vector<Number> in_vector(any_index const& in, lookup const& what, key_ranges const& probes,
                              execution const& exec) {
  auto answers = detail::answers<Number>(what.name, probes.size());
  in.look_up(what, probes, {std::span(answers)}, exec);
  return answers;
}

}  // namespace

std::vector<std::uint8_t> any_index::contains(nullable_column const& probes, execution const& exec) const {
  return in_vector<std::uint8_t>(*this, lookups::contains, {probes}, exec);
}

std::vector<std::uint64_t> any_index::count(nullable_column const& probes, execution const& exec) const {
  return in_vector<std::uint64_t>(*this, lookups::count, {probes}, exec);
}

std::vector<std::uint64_t> any_index::lower_bound(nullable_column const& probes, execution const& exec) const {
  return in_vector<std::uint64_t>(*this, lookups::lower_bound, {probes}, exec);
}

std::vector<std::uint64_t> any_index::upper_bound(nullable_column const& probes, execution const& exec) const {
  return in_vector<std::uint64_t>(*this, lookups::upper_bound, {probes}, exec);
}

std::vector<std::uint64_t> any_index::range_count(key_ranges const& ranges, execution const& exec) const {
  return in_vector<std::uint64_t>(*this, lookups::range_count, ranges, exec);
}

std::vector<std::uint64_t> any_index::range_sum(key_ranges const& ranges, execution const& exec) const {
  return in_vector<std::uint64_t>(*this, lookups::range_sum, ranges, exec);
}

std::vector<std::uint64_t> any_index::prefix_count(nullable_column const& prefixes, execution const& exec) const {
  return in_vector<std::uint64_t>(*this, lookups::prefix_count, {prefixes}, exec);
}

std::vector<std::uint64_t> any_index::prefix_sum(nullable_column const& prefixes, execution const& exec) const {
  return in_vector<std::uint64_t>(*this, lookups::prefix_sum, {prefixes}, exec);
}

void matches::expect_rows(warpdex::row_type type) const {
  if (type != row_type)
    throw invalid_argument("matches: the row ids are of type " + std::string(to_string(row_type)) + ", not " +
                           std::string(to_string(type)));
}

void matches::expect_probe(std::uint64_t probe) const {
  if (offsets.data() == nullptr) throw invalid_argument("matches: they were moved from");
  if (probe >= probes)
    throw invalid_argument("matches: number " + std::to_string(probe) + " of " + std::to_string(probes) + " probes");
}

}  // namespace warpdex
