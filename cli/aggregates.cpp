// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "aggregates.hpp"

#include "results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <utility>

namespace warpdex::cli {
namespace {

using input::i128;

constexpr i128 greatest = static_cast<i128>(~static_cast<u128>(0) >> 1);
constexpr i128 least = -greatest - 1;

/// @return a tree over `values` whose node i is the choice among nodes 2i and 2i + 1; values begin at their number
template <class Choose> std::vector<i128> tree_over(std::vector<i128> const& values, Choose const& choose) {
  std::vector<i128> nodes(2 * values.size());
  std::copy(values.begin(), values.end(), nodes.begin() + static_cast<std::ptrdiff_t>(values.size()));
  for (std::size_t i = values.size(); i-- > 1;) nodes[i] = choose(nodes[2 * i], nodes[2 * i + 1]);
  return nodes;
}

template <class Choose>
i128 choose_in(std::vector<i128> const& nodes, std::uint64_t first, std::uint64_t last, i128 none,
               Choose const& choose) {
  std::uint64_t const size = nodes.size() / 2;
  for (first += size, last += size; first < last; first /= 2, last /= 2) {
    if (first % 2 != 0) none = choose(none, nodes[first++]);
    if (last % 2 != 0) none = choose(none, nodes[--last]);
  }
  return none;
}

constexpr auto lower_of = [](i128 a, i128 b) { return a < b ? a : b; };
constexpr auto higher_of = [](i128 a, i128 b) { return a < b ? b : a; };

/// The rows of all entries, in the order of their keys.
std::vector<std::uint64_t> rows_in_order(opened_index const& opened) {
  index const& x = opened.index;
  std::vector<std::uint64_t> out;
  out.reserve(x.size());
  for_each_call(x.size(), [&](std::uint64_t first, std::uint64_t count) {
    std::vector<std::uint64_t> ranks(count);
    std::iota(ranks.begin(), ranks.end(), first);
    row_array const rows(x.rows_at(ranks, opened.exec), x.row_type(), opened.exec);
    for (std::uint64_t i = 0; i < count; ++i) out.push_back(rows[i]);
  });
  return out;
}

}  // namespace

void add_aggregate_options(CLI::App& command, aggregate_options& options) {
  auto const add = [&](char const* name, std::vector<std::string>& columns, char const* what) {
    command.add_option(name, columns, what)->type_name("NAME,...")->delimiter(',')->allow_extra_args(false);
  };
  add("--sum", options.sum, "Add up these columns of the table, integers or decimals, without rounding");
  add("--min", options.min, "The least value of these columns; nothing where there is none");
  add("--max", options.max, "The greatest value of these columns");
  add("--mean", options.mean, "The mean of these columns, as the nearest double");
}

ordered_values::ordered_values(input::decimal_column const& column, std::vector<std::uint64_t> const& rows, bool sums,
                               bool lowest, bool highest)
    : scale_(column.scale), size_(rows.size()) {
  auto const is_null = [&](std::uint64_t row) { return !column.null.empty() && column.null[row] != 0; };
  auto const in_order = [&](i128 of_null) {
    std::vector<i128> out;
    out.reserve(rows.size());
    for (std::uint64_t const row : rows) out.push_back(is_null(row) ? of_null : column.values[row]);
    return out;
  };
  for (std::uint64_t const row : rows)
    if (row >= column.values.size())
      throw format_error(
          fmt::format("row {} of the index is not in its table, which has {} rows", row, column.values.size()));
  if (!column.null.empty()) {
    nulls_.assign(1, 0);
    for (std::uint64_t const row : rows) nulls_.push_back(nulls_.back() + column.null[row]);
  }
  if (sums) {
    sums_.assign(1, 0);
    sums_.reserve(rows.size() + 1);
    for (i128 const value : in_order(0)) {
      i128 next = 0;
      if (__builtin_add_overflow(sums_.back(), value, &next))
        throw invalid_argument("--sum: the values add up to more than 127 bits hold");
      sums_.push_back(next);
    }
  }
  if (lowest) lowest_ = tree_over(in_order(greatest), lower_of);
  if (highest) highest_ = tree_over(in_order(least), higher_of);
}

std::uint64_t ordered_values::count(std::uint64_t first, std::uint64_t last) const {
  if (last <= first) return 0;
  return last - first - (nulls_.empty() ? 0 : nulls_[last] - nulls_[first]);
}

std::string ordered_values::sum(std::uint64_t first, std::uint64_t last) const {
  return input::format_decimal(last <= first ? 0 : sums_[last] - sums_[first], scale_);
}

std::string ordered_values::mean(std::uint64_t first, std::uint64_t last) const {
  auto const values = static_cast<i128>(count(first, last));
  if (values == 0) return {};
  i128 const total = sums_[last] - sums_[first];
  double const mean =
      static_cast<double>(total / values) + static_cast<double>(total % values) / static_cast<double>(values);
  return fmt::format("{}", mean / std::pow(10.0, scale_));
}

std::string ordered_values::lowest(std::uint64_t first, std::uint64_t last) const {
  if (count(first, last) == 0) return {};
  return input::format_decimal(choose_in(lowest_, first, last, greatest, lower_of), scale_);
}

std::string ordered_values::highest(std::uint64_t first, std::uint64_t last) const {
  if (count(first, last) == 0) return {};
  return input::format_decimal(choose_in(highest_, first, last, least, higher_of), scale_);
}

aggregates::aggregates(aggregate_options const& options, input::table const& source, opened_index const& opened) {
  std::vector<std::string> names;
  auto const add = [&](char const* what, std::vector<std::string> const& columns, auto value) {
    for (std::string const& column : columns) {
      auto const found = std::find(names.begin(), names.end(), column);
      columns_.push_back({std::string(what) + '_' + column, value, static_cast<std::size_t>(found - names.begin())});
      if (found == names.end()) names.push_back(column);
    }
  };
  add("sum", options.sum, &ordered_values::sum);
  add("min", options.min, &ordered_values::lowest);
  add("max", options.max, &ordered_values::highest);
  add("mean", options.mean, &ordered_values::mean);
  auto const wants = [&](std::vector<std::string> const& columns, std::string const& name) {
    return std::find(columns.begin(), columns.end(), name) != columns.end();
  };
  auto const rows = rows_in_order(opened);
  for (std::string const& name : names)
    sources_.emplace_back(source.decimals(name), rows, wants(options.sum, name) || wants(options.mean, name),
                          wants(options.min, name), wants(options.max, name));
}

void aggregates::write_names(output& out) const {
  for (auto const& column : columns_) out << ',' << input::csv_field(column.name);
}

void aggregates::write(output& out, std::uint64_t first, std::uint64_t last) const {
  for (auto const& column : columns_) out << ',' << (sources_[column.source].*column.value)(first, last);
}

}  // namespace warpdex::cli
