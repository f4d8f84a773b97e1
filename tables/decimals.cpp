// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "decimals.hpp"

#include "escape.hpp"
#include "values.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace warpdex::tables {
namespace {

enum class problem { none, syntax, range };

/// Reads a text as value / 10^decimals.
problem parse(std::string_view text, i128& value, unsigned& decimals) {
  bool const negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  value = 0;
  decimals = 0;
  bool behind_point = false;
  bool any_digit = false;
  bool beyond = false;
  for (char const c : text) {
    if (c == '.' && !behind_point) {
      behind_point = true;
    } else if (c < '0' || c > '9') {
      return problem::syntax;
    } else {
      any_digit = true;
      decimals += behind_point ? 1 : 0;
      beyond |= __builtin_mul_overflow(value, i128{10}, &value) || __builtin_add_overflow(value, i128{c - '0'}, &value);
    }
  }
  if (!any_digit) return problem::syntax;
  if (negative) value = -value;
  return beyond || decimals > most_decimals ? problem::range : problem::none;
}

}  // namespace

decimal_column read_decimals(input_file const& file, cell_column const& column) {
  decimal_column out;
  out.values.reserve(column.size());
  std::vector<std::uint8_t> scales;
  scales.reserve(column.size());
  auto const fail = [&](std::size_t i, char const* what) {
    column.fail(file, i, fmt::format("{} {}", in_quotes(column.text(i)), what));
  };
  for (cell_part const& part : column.cells().parts()) {
    for (std::size_t i = 0; i < part.size(); ++i) {
      std::string_view const cell = column.text(part, i);
      i128 value = 0;
      unsigned decimals = 0;
      if (is_null(cell)) {
        out.null.resize(column.size());
        out.null[out.values.size()] = 1;
      } else {
        problem const found = parse(trimmed(cell), value, decimals);
        if (found == problem::syntax)
          fail(out.values.size(), "cannot be added up: it is no integer and no decimal such as 12.50");
        if (found == problem::range) fail(out.values.size(), "has too many digits to be added up");
      }
      scales.push_back(static_cast<std::uint8_t>(decimals));
      out.scale = std::max(out.scale, decimals);
      out.values.push_back(value);
    }
  }
  for (std::size_t i = 0; i < scales.size(); ++i)
    for (unsigned at = scales[i]; at < out.scale; ++at)
      if (__builtin_mul_overflow(out.values[i], i128{10}, &out.values[i]))
        fail(i, "has too many digits beside cells with more decimals");
  return out;
}

std::string format_decimal(i128 value, unsigned scale) {
  bool const negative = value < 0;
  std::string digits;
  // Digit by digit, because the least number has no positive counterpart.
  do {
    auto const digit = static_cast<int>(value % 10);
    digits += static_cast<char>('0' + (negative ? -digit : digit));
    value /= 10;
  } while (value != 0 || digits.size() <= scale);
  if (negative) digits += '-';
  std::reverse(digits.begin(), digits.end());
  if (scale != 0) digits.insert(digits.size() - scale, 1, '.');
  return digits;
}

}  // namespace warpdex::tables
