// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/table.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "clients/c_api/border.hpp"

using namespace warpdex;
using namespace warpdex::c;

namespace {

static_assert(WARPDEX_TABLE_RIGHT == static_cast<int>(join_how::right));
static_assert(WARPDEX_TABLE_ANTI == static_cast<int>(join_how::anti));
static_assert(WARPDEX_WINDOW_QUANTILE == static_cast<int>(window_aggregate::quantile));
static_assert(sizeof(warpdex_table_join) == 48 && sizeof(warpdex_table_asof) == 88 &&
              sizeof(warpdex_table_between) == 64 && sizeof(warpdex_window_value) == 32 &&
              sizeof(warpdex_table_window) == 104);

/// @param all null for none
std::vector<std::string> names_of(char const* call, char const* const* all, std::uint64_t count) {
  std::vector<std::string> result;
  for (std::uint64_t i = 0; all != nullptr && i < count; ++i)
    result.emplace_back(&expect(call, "the name of a column", all[i]));
  return result;
}

table table_of(char const* call, char const* what, ArrowArrayStream* from) {
  auto& stream = expect(call, what, from);
  if (stream.release == nullptr) throw invalid_argument(std::string(call) + ": " + what + " was released");
  return table(stream);
}

std::vector<window_value> window_values_of(char const* call, warpdex_table_window const& from) {
  detail::expect_array(call, "the array of values", from.values, from.value_count);
  std::vector<window_value> result;
  for (warpdex_window_value const& value : std::span(from.values, from.value_count)) {
    expect_zero(call, "a value", value.reserved);
    result.push_back({value.column == nullptr ? "" : value.column,
                      chosen(call, "what is found of a value", value.aggregate, window_aggregate::quantile),
                      value.quantile, value.name == nullptr ? "" : value.name});
  }
  return result;
}

/// Reads both sides, joins them, and hands the result over.
template <class Join>
void hand_over(char const* call, ArrowArrayStream* left, ArrowArrayStream* right, ArrowArrayStream* to,
               warpdex_execution const* exec, Join const& join) {
  auto& joined = expect(call, "the place of the result", to);
  place const on(call, exec);
  table const lefts = table_of(call, "the left stream", left), rights = table_of(call, "the right stream", right);
  join(lefts, rights, on).write(joined);
}

}  // namespace

std::int32_t warpdex_join_tables(ArrowArrayStream* left, ArrowArrayStream* right, warpdex_table_join const* by,
                                 warpdex_execution const* exec, ArrowArrayStream* joined, warpdex_error* error) {
  constexpr auto call = "warpdex_join_tables";
  return guarded(error, [&] {
    auto const& from = expect(call, "what the join looks at", by);
    if (from.reserved != 0)
      throw invalid_argument(std::string(call) + ": reserved is " + std::to_string(from.reserved) + ", not 0");
    table_join options;
    options.left_on = names_of(call, &expect(call, "left_on", from.left_on), from.count);
    options.right_on = names_of(call, from.right_on, from.count);
    options.how = chosen(call, "the kind of the join", from.how, join_how::anti);
    options.nulls_equal = from.nulls_equal != 0;
    options.coalesce = from.keep_keys == 0;
    if (from.suffix != nullptr) options.suffix = from.suffix;
    hand_over(call, left, right, joined, exec, [&](table const& lefts, table const& rights, execution const& on) {
      return join_tables(lefts, rights, options, on);
    });
  });
}

std::int32_t warpdex_join_asof_tables(ArrowArrayStream* left, ArrowArrayStream* right, warpdex_table_asof const* by,
                                      warpdex_execution const* exec, ArrowArrayStream* joined, warpdex_error* error) {
  constexpr auto call = "warpdex_join_asof_tables";
  return guarded(error, [&] {
    auto const& from = expect(call, "what the join looks at", by);
    table_asof options;
    options.left_on = &expect(call, "left_on", from.left_on);
    if (from.right_on != nullptr) options.right_on = from.right_on;
    options.left_by = names_of(call, from.left_by, from.count);
    options.right_by = names_of(call, from.right_by, from.count);
    options.options = options_of(call, &from.how, options.options);
    if (from.suffix != nullptr) options.suffix = from.suffix;
    hand_over(call, left, right, joined, exec, [&](table const& lefts, table const& rights, execution const& on) {
      return join_asof_tables(lefts, rights, options, on);
    });
  });
}

std::int32_t warpdex_join_between_tables(ArrowArrayStream* left, ArrowArrayStream* right,
                                         warpdex_table_between const* by, warpdex_execution const* exec,
                                         ArrowArrayStream* joined, warpdex_error* error) {
  constexpr auto call = "warpdex_join_between_tables";
  return guarded(error, [&] {
    auto const& from = expect(call, "what the join looks at", by);
    table_between options;
    options.lower = &expect(call, "lower", from.lower);
    options.upper = &expect(call, "upper", from.upper);
    options.right_on = &expect(call, "right_on", from.right_on);
    options.left_by = names_of(call, from.left_by, from.count);
    options.right_by = names_of(call, from.right_by, from.count);
    options.closed = chosen(call, "closed", from.closed, closed_ends::none);
    options.how = chosen(call, "the kind of the join", from.kind, join_kind::anti);
    if (from.suffix != nullptr) options.suffix = from.suffix;
    hand_over(call, left, right, joined, exec, [&](table const& lefts, table const& rights, execution const& on) {
      return join_between_tables(lefts, rights, options, on);
    });
  });
}

std::int32_t warpdex_window_tables(ArrowArrayStream* left, ArrowArrayStream* right, warpdex_table_window const* by,
                                   warpdex_execution const* exec, ArrowArrayStream* joined, warpdex_error* error) {
  constexpr auto call = "warpdex_window_tables";
  return guarded(error, [&] {
    auto const& from = expect(call, "what the join looks at", by);
    table_window options;
    options.left_on = &expect(call, "left_on", from.left_on);
    if (from.right_on != nullptr) options.right_on = from.right_on;
    options.left_by = names_of(call, from.left_by, from.count);
    options.right_by = names_of(call, from.right_by, from.count);
    options.before = from.is_f64 != 0 ? asof_tolerance(from.before_f64) : asof_tolerance(from.before);
    options.after = from.is_f64 != 0 ? asof_tolerance(from.after_f64) : asof_tolerance(from.after);
    options.closed = chosen(call, "closed", from.closed, closed_ends::none);
    options.values = window_values_of(call, from);
    if (from.suffix != nullptr) options.suffix = from.suffix;
    hand_over(call, left, right, joined, exec, [&](table const& lefts, table const& rights, execution const& on) {
      return window_tables(lefts, rights, options, on);
    });
  });
}
