// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/join.hpp>
#include <warpdex/mark.hpp>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <string>

#include "base/api_border.hpp"
#include "base/tuning.hpp"
#include "clients/marks/mark_steps.hpp"
#include "request/expect.hpp"
#include "request/staging.hpp"

namespace warpdex {
namespace {

/// Checks marks that a call writes. @return their words
std::uint32_t* reach(char const* call, staging& stage, marks const& of) {
  expect_size(call, "the array of marks", of.words.size(), mark_words(of.rows));
  if (of.words.empty()) return nullptr;
  batch_array words[] = {{of.words.data(), sizeof(std::uint32_t), "the array of marks", false, true}};
  if (!stage.use(of.words.size(), words))
    throw invalid_argument(std::string(call) + ": the array of marks is on the host, the call on a device");
  return of.words.data();
}

/// Checks marks that a call reads. @return their words
std::uint32_t const* reach_input(char const* call, staging& stage, marks const& of, char const* what) {
  expect_size(call, what, of.words.size(), mark_words(of.rows));
  return static_cast<std::uint32_t const*>(stage.input(of.words.data(), of.words.size(), sizeof(std::uint32_t), what));
}

void change(mark_steps::change_word const& how, marks const& to, execution const& exec) {
  steps::run(how, to.words.size(), exec);
  backend_of(exec).synchronize(exec);
}

/// Sets the bits of rows that are within reach. @param words of marks that `reach` has checked
void set_rows(char const* call, row_column rows, marks const& to, execution const& exec) {
  row_reader const reader{rows.data, rows.type};
  if (auto const at = steps::find_first(aggregate_steps::has_no_value{reader, to.rows, true}, rows.size, exec)) {
    std::uint64_t row = 0;
    std::size_t const width = size_of(rows.type);
    backend_of(exec).copy(&row, static_cast<std::byte const*>(rows.data) + *at * width, width, exec);
    backend_of(exec).synchronize(exec);
    throw invalid_argument(std::string(call) + ": there are marks of " + std::to_string(to.rows) +
                           " rows, but row id number " + std::to_string(*at) + " is " + std::to_string(row));
  }
  steps::run(mark_steps::set_row{reader, to.words.data()}, rows.size, exec);
  backend_of(exec).synchronize(exec);
}

/// Checks a column that the join of a call reads, and that it does not overlap the marks.
void use_probes(char const* call, staging& stage, nullable_column const& column, char const* what) {
  expect_known(call, what, column.type);
  detail::expect_array(call, what, column.data, column.size);
  if (column.size == 0) return;
  stage.validity(column, what);
  batch_array probes[] = {stage.probes(column, what)};
  stage.use(column.size, probes);
}

/// Checks marks and the columns of a call, and runs a join whose right rows become marked.
/// @param columns null for those that there are not @param join takes a sink
template <class Join>
void mark_joined(char const* call, std::initializer_list<nullable_column const*> columns, marks const& to,
                 execution const& exec, Join const& join) {
  run_call(call, exec, [&] {
    static constexpr std::array names = {"the first column", "the second column", "the third column"};
    staging stage(call, exec);
    reach(call, stage, to);
    std::size_t number = 0;
    for (nullable_column const* const column : columns) {
      if (column != nullptr) use_probes(call, stage, *column, names.at(number));
      ++number;
    }
    join([&](join_batch const& batch) { set_rows(call, batch.right, to, exec); });
  });
}

nullable_column const* given(std::optional<nullable_column> const& column) { return column ? &*column : nullptr; }

}  // namespace

void mark(row_column rows, marks const& to, execution const& exec) {
  constexpr char const* call = "mark";
  run_call(call, exec, [&] {
    expect_known(call, "the row column", rows.type);
    staging stage(call, exec);
    reach(call, stage, to);
    row_column within = rows;
    within.data = stage.input(rows.data, rows.size, size_of(rows.type), "the row column");
    if (rows.size != 0) set_rows(call, within, to, exec);
  });
}

void mark(any_index const& in, nullable_column const& probes, marks const& to, execution const& exec) {
  mark_joined("mark", {&probes}, to, exec,
              [&](join_sink const& sink) { join(in, probes, join_kind::inner, sink, exec); });
}

void mark_between(any_index const& in, key_ranges const& ranges, marks const& to, execution const& exec) {
  mark_joined("mark_between", {given(ranges.lower), given(ranges.upper)}, to, exec,
              [&](join_sink const& sink) { join_between(in, ranges, join_kind::inner, sink, exec); });
}

void mark_between(grouped_index const& in, nullable_column const& groups, key_ranges const& ranges, marks const& to,
                  execution const& exec) {
  mark_joined("mark_between", {&groups, given(ranges.lower), given(ranges.upper)}, to, exec,
              [&](join_sink const& sink) { join_between(in, groups, ranges, join_kind::inner, sink, exec); });
}

void mark(intervals const& in, interval_probes const& probes, marks const& to, execution const& exec) {
  nullable_column const* const upper = probes.are_points ? nullptr : &probes.upper;
  mark_joined("mark", {&probes.lower, upper, given(probes.groups)}, to, exec,
              [&](join_sink const& sink) { in.join(probes, join_kind::inner, sink, exec); });
}

void mark(networks const& in, nullable_column const& addresses, marks const& to, execution const& exec) {
  mark_joined("mark", {&addresses}, to, exec, [&](join_sink const& sink) {
    matches const found = in.covering(addresses, exec);
    if (found.total != 0) sink({{}, {found.rows.data(), found.total, found.row_type}});
  });
}

void set_marks(marks const& to, bool marked, execution const& exec) {
  constexpr char const* call = "set_marks";
  run_call(call, exec, [&] {
    staging stage(call, exec);
    auto* const words = reach(call, stage, to);
    change({words, to.rows, nullptr, mark_operation::both, false, marked}, to, exec);
  });
}

void invert_marks(marks const& to, execution const& exec) {
  constexpr char const* call = "invert_marks";
  run_call(call, exec, [&] {
    staging stage(call, exec);
    auto* const words = reach(call, stage, to);
    change({words, to.rows, nullptr, mark_operation::both, true, false}, to, exec);
  });
}

void combine_marks(marks const& to, marks const& with, mark_operation how, execution const& exec) {
  constexpr char const* call = "combine_marks";
  run_call(call, exec, [&] {
    if (how > mark_operation::without)
      throw invalid_argument(std::string(call) + ": operation number " + std::to_string(static_cast<int>(how)) +
                             " is unknown");
    expect_size(call, "the other marks", with.rows, to.rows);
    staging stage(call, exec);
    auto* const words = reach(call, stage, to);
    auto const* const others = reach_input(call, stage, with, "the array of other marks");
    if (to.rows != 0) change({words, to.rows, others, how, false, false}, to, exec);
  });
}

std::uint64_t count_marks(marks const& of, execution const& exec) {
  constexpr char const* call = "count_marks";
  return run_call(call, exec, [&]() -> std::uint64_t {
    staging stage(call, exec);
    auto const* const words = reach_input(call, stage, of, "the array of marks");
    if (of.rows == 0) return 0;
    return steps::reduce(mark_steps::count_word{words, of.rows}, of.words.size(), exec).rows;
  });
}

void list_marked(marks const& of, row_output rows, execution const& exec) {
  constexpr char const* call = "list_marked";
  run_call(call, exec, [&] {
    expect_known(call, "the row output", rows.type);
    if (rows.type == row_type::u32 && of.rows > no_row<std::uint32_t>)
      throw invalid_argument(std::string(call) + ": the row output has the type u32, which does not number " +
                             std::to_string(of.rows) + " rows");
    expect_size(call, "the row output", rows.size, count_marks(of, exec));
    if (rows.size == 0) return;
    staging stage(call, exec);
    auto const* const words = reach_input(call, stage, of, "the array of marks");
    std::size_t const width = size_of(rows.type);
    batch_array out[] = {{rows.data, width, "the row output", false, true}};
    bool const in_place = stage.use(rows.size, out);
    buffer const held(in_place ? 0 : rows.size * width, exec);
    row_array const to{in_place ? rows.data : held.data(), width};
    std::uint64_t listed = 0;
    for (std::uint64_t begin = 0; begin < of.rows; begin += tuning::validity_part)
      listed += steps::select(mark_steps::list_row{words, begin, listed, to},
                              std::min<std::uint64_t>(tuning::validity_part, of.rows - begin), exec);
    if (!in_place) backend_of(exec).copy(rows.data, held.data(), rows.size * width, exec);
    backend_of(exec).synchronize(exec);
  });
}

}  // namespace warpdex
