// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/error.hpp>
#include <warpdex/table.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "support/expect.hpp"
#include "support/seed.hpp"
#include "tables/columns_of.hpp"

/// @file
/// Windows and points in time of tables of Arrow, against a look at all rows.
namespace warpdex::test {
namespace {

using integers = values<std::int64_t>;
using reals = values<double>;
using texts = values<std::string>;

/// Rows of trades or quotes.
struct dated_rows {
  integers time;
  texts symbol;
  integers price;
  reals size;
  texts venue;

  table whole(std::size_t per_chunk) const {
    table result;
    result.add("time", column_of(time, per_chunk));
    result.add("symbol", column_of(symbol, per_chunk + 2));
    result.add("price", column_of(price, per_chunk + 5));
    result.add("size", column_of(size));
    result.add("venue", column_of(venue, per_chunk));
    return result;
  }
};

dated_rows make_dated_rows(int count, std::mt19937_64& random) {
  dated_rows result;
  auto const some = [&](auto value) { return random() % 7 == 0 ? std::nullopt : std::optional(value); };
  for (int i = 0; i < count; ++i) {
    result.time.push_back(some(static_cast<std::int64_t>(random() % 50)));
    result.symbol.push_back(some(std::string(1, static_cast<char>('A' + random() % 3))));
    result.price.push_back(some(static_cast<std::int64_t>(random() % 1000) - 500));
    result.size.push_back(some(static_cast<double>(random() % 64) / 4));
    result.venue.push_back(some("venue " + std::to_string(random() % 9)));
  }
  return result;
}

/// @return the rows in the window of a left row, by time, and of one time by number
std::vector<std::size_t> rows_in_window(dated_rows const& lefts, std::size_t i, dated_rows const& rights,
                                        table_window const& by) {
  std::vector<std::size_t> result;
  if (!lefts.time[i] || (!by.left_by.empty() && !lefts.symbol[i])) return result;
  std::int64_t const begin = *lefts.time[i] - std::get<std::int64_t>(by.before);
  std::int64_t const end = *lefts.time[i] + std::get<std::int64_t>(by.after);
  bool const has_begin = by.closed == closed_ends::both || by.closed == closed_ends::left;
  bool const has_end = by.closed == closed_ends::both || by.closed == closed_ends::right;
  for (std::size_t r = 0; r < rights.time.size(); ++r) {
    auto const& at = rights.time[r];
    if (!at || *at < begin || *at > end || (*at == begin && !has_begin) || (*at == end && !has_end)) continue;
    if (by.left_by.empty() || rights.symbol[r] == lefts.symbol[i]) result.push_back(r);
  }
  std::stable_sort(result.begin(), result.end(),
                   [&](std::size_t a, std::size_t b) { return *rights.time[a] < *rights.time[b]; });
  return result;
}

template <class T> values<T> at_rows(values<T> const& of, std::vector<std::size_t> const& rows, bool valid) {
  values<T> result;
  for (std::size_t const row : rows)
    if (!valid || of[row]) result.push_back(of[row]);
  return result;
}

template <class T> std::optional<T> value_at(values<T> from, double quantile) {
  if (from.empty()) return std::nullopt;
  std::sort(from.begin(), from.end());
  return from[static_cast<std::size_t>(quantile * static_cast<double>(from.size() - 1))];
}

TEST(table_windows, have_what_a_look_at_all_rows_finds) {
  using what = window_aggregate;
  std::mt19937_64 random(test_seed());
  dated_rows const lefts = make_dated_rows(120, random), rights = make_dated_rows(150, random);
  table const left = lefts.whole(17), right = rights.whole(23);
  for (auto const closed : {closed_ends::both, closed_ends::left, closed_ends::right, closed_ends::none})
    for (bool const grouped : {false, true}) {
      table_window by{.left_on = "time", .before = 4, .after = 2, .closed = closed};
      if (grouped) by.left_by = {"symbol"};
      by.values = {{.name = "rows"},     {"price", what::count}, {"venue", what::count},
                   {"price", what::sum}, {"size", what::sum},    {"price", what::mean},
                   {"size", what::std},  {"venue", what::first}, {"price", what::last},
                   {"venue", what::min}, {"size", what::max},    {"price", what::quantile, .75}};
      table const found = window_tables(left, right, by);
      EXPECT_EQ(values_in<std::int64_t>(found.column("time")), lefts.time);
      for (std::size_t i = 0; i < lefts.time.size(); ++i) {
        auto const rows = rows_in_window(lefts, i, rights, by);
        auto const prices = at_rows(rights.price, rows, true);
        auto const sizes = at_rows(rights.size, rows, true);
        auto const venues = at_rows(rights.venue, rows, true);
        auto const as_integer = [&](char const* name) { return values_in<std::int64_t>(found.column(name))[i]; };
        auto const as_real = [&](char const* name) { return values_in<double>(found.column(name))[i]; };
        std::int64_t price = 0;
        double size = 0, squares = 0;
        for (auto const& one : prices) price += *one;
        for (auto const& one : sizes) size += *one;
        for (auto const& one : sizes) squares += std::pow(*one - size / static_cast<double>(sizes.size()), 2);
        EXPECT_EQ(as_integer("rows"), static_cast<std::int64_t>(rows.size()));
        EXPECT_EQ(as_integer("price_count"), static_cast<std::int64_t>(prices.size()));
        EXPECT_EQ(as_integer("venue_count"), static_cast<std::int64_t>(venues.size()));
        EXPECT_EQ(as_integer("price_sum"), price);
        EXPECT_EQ(as_real("size_sum"), size);
        ASSERT_EQ(as_real("price_mean").has_value(), !prices.empty());
        if (!prices.empty()) {
          EXPECT_DOUBLE_EQ(*as_real("price_mean"), static_cast<double>(price) / static_cast<double>(prices.size()));
        }
        ASSERT_EQ(as_real("size_std").has_value(), sizes.size() > 1);
        if (sizes.size() > 1) {
          EXPECT_NEAR(*as_real("size_std"), std::sqrt(squares / static_cast<double>(sizes.size() - 1)), 1e-12);
        }
        EXPECT_EQ(values_in<std::string>(found.column("venue_first"))[i],
                  rows.empty() ? std::nullopt : rights.venue[rows.front()]);
        EXPECT_EQ(as_integer("price_last"), rows.empty() ? std::nullopt : rights.price[rows.back()]);
        EXPECT_EQ(values_in<std::string>(found.column("venue_min"))[i], value_at(venues, 0));
        EXPECT_EQ(as_real("size_max"), value_at(sizes, 1));
        EXPECT_EQ(as_integer("price_quantile"), value_at(prices, .75));
      }
    }
}

TEST(table_windows, ends_beyond_the_keys_type_are_its_own) {
  using limits = std::numeric_limits<std::int64_t>;
  table left, right;
  left.add("k", column_of(integers{limits::min(), limits::max(), 0}));
  right.add("k", column_of(integers{limits::min(), limits::max()}));
  auto const counts = [&](std::int64_t before, std::int64_t after) {
    table_window const by{.left_on = "k", .before = before, .after = after, .values = {{}}};
    return values_in<std::int64_t>(window_tables(left, right, by).column("count"));
  };
  EXPECT_EQ(counts(5, 5), (integers{1, 1, 0}));
  EXPECT_EQ(counts(limits::max(), limits::max()), (integers{1, 1, 1}));
  EXPECT_EQ(counts(-5, 9), (integers{0, 0, 0})) << "a window that begins after the greatest key";
  EXPECT_EQ(counts(9, -5), (integers{0, 0, 0})) << "a window that ends before the least key";
}

TEST(table_windows, keys_may_be_floats_and_narrow_integers) {
  table left, right;
  left.add("k", column_of(reals{1.5, -2, std::nullopt}));
  right.add("k", column_of(values<std::int16_t>{-2, 1, 2, 3}));
  table_window const by{.left_on = "k", .before = .5, .after = .5, .values = {{}}};
  EXPECT_EQ(values_in<std::int64_t>(window_tables(left, right, by).column("count")), (integers{2, 1, 0}));
}

TEST(table_windows, errors_name_what_is_wrong) {
  table rows;
  rows.add("k", column_of(integers{1, 2}));
  rows.add("word", column_of(texts{"a", "b"}));
  rows.add("large", column_of(integers{std::numeric_limits<std::int64_t>::max(), 1}));
  auto const fails = [&](table_window const& by, char const* text) {
    try {
      window_tables(rows, rows, by);
      ADD_FAILURE() << text;
    } catch (error const& why) {
      EXPECT_NE(std::string(why.what()).find(text), std::string::npos) << why.what();
    }
  };
  fails({.left_on = "k", .before = -2, .after = 1}, "before is -2 and after 1; no window ends before it begins");
  fails({.left_on = "k", .before = .5}, "a window reaches 0.500000, but its keys are integers");
  fails({.left_on = "word"}, "windows are of numbers and times; left's 'word' has no distances");
  fails({.left_on = "k", .values = {{"word", window_aggregate::sum}}},
        "'word' has Arrow's format u, which has no sums");
  fails({.left_on = "k", .before = 1, .values = {{"large", window_aggregate::sum}}},
        "takes more than 64 bits at row 1");
  fails({.left_on = "k", .values = {{"none", window_aggregate::count}}}, "there is no column 'none'");
  fails({.left_on = "k", .values = {{"", window_aggregate::max}}}, "names no column, as a count alone may");
  fails({.left_on = "k", .values = {{"k", window_aggregate::quantile, 2}}}, "quantile");
}

TEST(table_windows, a_point_in_time_is_what_was_known_then) {
  table spine, orders, clicks;
  spine.add("ts", column_of(integers{5, 9, 1}));
  spine.add("user", column_of(texts{"a", "a", "b"}));
  orders.add("ts", column_of(integers{3, 8, 1}));
  orders.add("user", column_of(texts{"a", "a", "b"}));
  orders.add("amount", column_of(integers{30, 80, 10}));
  clicks.add("ts", column_of(integers{1}));
  clicks.add("user", column_of(texts{"a"}));
  clicks.add("amount", column_of(texts{"home"}));
  table const found =
      point_in_time_tables(spine, {{"orders", &orders}, {"clicks", &clicks, 5}}, {.on = "ts", .by = {"user"}});
  EXPECT_EQ(values_in<std::int64_t>(found.column("amount")), (integers{30, 80, 10}));
  EXPECT_EQ(values_in<std::string>(found.column("amount_clicks")), (texts{"home", std::nullopt, std::nullopt}));
}

}  // namespace
}  // namespace warpdex::test
