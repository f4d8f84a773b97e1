// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "aggregates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace warpdex::cli {
namespace {

/// The validity bits of a column, or none if all cells have a value.
std::vector<std::uint8_t> validity_of(tables::decimal_column const& column) {
  std::vector<std::uint8_t> bits(column.null.empty() ? 0 : column.null.size() / 8 + 1);
  for (std::size_t i = 0; i < column.null.size(); ++i)
    if (column.null[i] == 0) bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | 1u << (i % 8));
  return bits;
}

/// No sum of some of the values may leave 127 bits.
void expect_sums(tables::decimal_column const& column, std::string const& name) {
  i128 positive = 0;
  i128 negative = 0;
  for (i128 const value : column.values)
    if (i128& sum = value < 0 ? negative : positive; __builtin_add_overflow(sum, value, &sum))
      throw invalid_argument("column '" + name + "': the values add up to more than 127 bits hold");
}

}  // namespace

payload<i128> payload_of(tables::decimal_column const& column, opened_index const& opened) {
  index const& over = in_one_piece(*opened.index, aggregate_names);
  auto const bits = validity_of(column);
  auto const* const validity = bits.empty() ? nullptr : bits.data();
  bool const narrow = std::all_of(column.values.begin(), column.values.end(),
                                  [](i128 value) { return value == static_cast<std::int64_t>(value); });
  if (!narrow) return {over, value_column(column.values, validity), opened.exec};
  std::vector<std::int64_t> const values(column.values.begin(), column.values.end());
  return {over, value_column(values, validity), opened.exec};
}

void add_aggregate_options(CLI::App& command, aggregate_options& options) {
  auto const add = [&](char const* name, std::vector<std::string>& columns, char const* what) {
    command.add_option(name, columns, what)->type_name("NAME,...")->delimiter(',')->allow_extra_args(false);
  };
  add("--sum", options.sum, "Add up these columns of the table, integers or decimals, without rounding");
  add("--min", options.min, "The least value of these columns; nothing where there is none");
  add("--max", options.max, "The greatest value of these columns");
  add("--mean", options.mean, "The mean of these columns, as the nearest double");
}

aggregates::aggregates(aggregate_options const& options, tables::table const& source, opened_index const& opened)
    : exec_(opened.exec) {
  std::vector<std::string> names;
  auto const add = [&](char const* what, std::vector<std::string> const& columns, kind value) {
    for (std::string const& column : columns) {
      auto const found = std::find(names.begin(), names.end(), column);
      columns_.push_back({std::string(what) + '_' + column, value, static_cast<std::size_t>(found - names.begin())});
      if (found == names.end()) names.push_back(column);
    }
  };
  add("sum", options.sum, kind::sum);
  add("min", options.min, kind::least);
  add("max", options.max, kind::greatest);
  add("mean", options.mean, kind::mean);
  auto const columns = source.decimals(names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    expect_sums(columns[i], names[i]);
    sources_.push_back({payload_of(columns[i], opened), columns[i].scale, {}});
  }
}

void aggregates::write_names(tables::output& out) const {
  for (auto const& column : columns_) out << ',' << tables::csv_field(column.name);
}

void aggregates::find(std::span<std::uint64_t const> first, std::span<std::uint64_t const> last) {
  for (auto& source : sources_) {
    source.found.resize(first.size());
    source.values.of_ranks(first, last, source.found, exec_);
  }
}

void aggregates::write(tables::output& out, std::size_t i) const {
  for (auto const& column : columns_) {
    auto const& source = sources_[column.source];
    auto const& found = source.found[i];
    out << ',';
    if (found.values == 0 && column.value != kind::sum) continue;
    switch (column.value) {
      case kind::sum: out << tables::format_decimal(found.sum, source.scale); break;
      case kind::least: out << tables::format_decimal(found.least, source.scale); break;
      case kind::greatest: out << tables::format_decimal(found.greatest, source.scale); break;
      case kind::mean: out << fmt::format("{}", found.mean() / std::pow(10.0, source.scale)); break;
    }
  }
}

}  // namespace warpdex::cli
