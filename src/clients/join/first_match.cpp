// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/join.hpp>

#include <array>
#include <optional>
#include <string>

#include "base/api_border.hpp"
#include "base/tuning.hpp"
#include "clients/join/columns.hpp"
#include "clients/join/join_steps.hpp"
#include "request/expect.hpp"
#include "request/staging.hpp"

namespace warpdex {

namespace {

constexpr char const* match_call = "first_match";

/// An index that `find` asks for the first row of a value. Rows whose value is in the first ones of the column are left
/// out, so a column of few values has a small index. Row ids are positions.
struct first_rows {
  index table;
  buffer found;  ///< the first row of each value, if all are among the first ones of a long column; else empty
};

first_rows first_rows_of(spec const& s, nullable_column const& keys, execution const& exec) {
  constexpr std::uint64_t head = tuning::rows_that_hold_most_values;
  if (keys.size < 2 * head) return {build_valid(s, keys, exec), {}};
  staging stage(match_call, exec);
  validity_bits const valid = stage.validity(keys, "the validity of the right column");
  nullable_column first = keys;
  first.size = head;
  first_rows result{build_valid(s, first, exec), {}};
  std::size_t const width = size_of(result.table.row_type());
  result.found = buffer(keys.size * width, exec);
  result.table.find(keys, {result.found.data(), keys.size, result.table.row_type()}, exec);
  join_steps::is_new const is_new{{result.found.data(), width}, valid, head};
  if (!steps::find_first(is_new, keys.size, exec)) return result;
  std::uint64_t const bytes = validity_bytes(keys.size);
  buffer const bits(bytes, exec);
  steps::run(join_steps::mark_new{is_new, keys.size, bits.as<std::uint8_t>()}, bytes, exec);
  column const& values = keys;
  return {build_valid(s, {values, bits.as<std::uint8_t>()}, exec), {}};
}

/// One side, and where its rows go.
struct matched_side {
  nullable_column const& values;
  row_output rows;
  char const* what;
  char const* rows_what;

  void check(nullable_column const& right, row_type type) const {
    expect_known(match_call, what, values.type);
    expect_known(match_call, rows_what, rows.type);
    if (rows.type != type)
      throw invalid_argument(std::string(match_call) + ": " + rows_what + " is of type " +
                             std::string(to_string(rows.type)) + ", the other one of type " +
                             std::string(to_string(type)));
    expect_size(match_call, rows_what, rows.size, values.size);
    if (right.size > (type == row_type::u32 ? no_row<std::uint32_t> : no_row<std::uint64_t>))
      throw invalid_argument(std::string(match_call) + ": " + rows_what + " is of type " +
                             std::string(to_string(type)) + ", which cannot number " + std::to_string(right.size) +
                             " rows");
  }

  /// Notes the column.
  void use_values(staging& stage) const {
    if (values.size == 0) return;
    stage.validity(values, what);
    std::array<batch_array, 1> arrays{stage.probes(values, what)};
    stage.use(values.size, arrays);
  }

  /// Notes the rows, which must not overlap what was noted before.
  void use_rows(staging& stage) const {
    std::array<batch_array, 1> arrays{{{rows.data, size_of(rows.type), rows_what, false, true}}};
    if (values.size != 0) stage.use(values.size, arrays);
  }

  void take(buffer const& found, execution const& exec) const {
    backend_of(exec).copy(rows.data, found.data(), rows.size * size_of(rows.type), exec);
  }
};

}  // namespace

void first_match(nullable_column const& left, nullable_column const& right, row_output rows, execution const& exec,
                 std::optional<row_output> right_rows) {
  run_call(match_call, exec, [&] {
    matched_side const of_left{left, rows, "the left column", "the row output"};
    matched_side const of_right{right, right_rows.value_or(row_output{}), "the right column", "the right row output"};
    of_left.check(right, rows.type);
    if (right_rows) of_right.check(right, rows.type);
    expect_known(match_call, of_right.what, right.type);
    expect_comparable(match_call, of_left.what, left.type, right.type);
    staging stage(match_call, exec);
    of_left.use_values(stage);
    of_right.use_values(stage);
    of_left.use_rows(stage);
    if (right_rows) of_right.use_rows(stage);
    first_rows const over = first_rows_of(spec(hash_spec_of(rows.type)), right, exec);
    over.table.find(left, rows, exec);
    if (right_rows && over.found.bytes() != 0) of_right.take(over.found, exec);
    else if (right_rows) over.table.find(right, *right_rows, exec);
    backend_of(exec).synchronize(exec);
  });
}

}  // namespace warpdex
