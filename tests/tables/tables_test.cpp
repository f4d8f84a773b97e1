// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/table.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "support/expect.hpp"
#include "support/seed.hpp"
#include "tables/columns_of.hpp"

/// @file
/// Joins of tables of Arrow, against joins of plain values row by row.
namespace warpdex::test {
namespace {

using integers = values<std::int64_t>;
using texts = values<std::string>;

struct side {
  integers number;
  texts word;
  integers row;  // the payload: which row it is

  table whole(std::size_t per_chunk, char const* payload) const {
    table result;
    result.add("number", column_of(number, per_chunk));
    result.add("word", column_of(word, per_chunk + 3));
    result.add(payload, column_of(row));
    return result;
  }
};

side make_side(int size, std::mt19937_64& random, bool ascends, std::size_t letters) {
  side result;
  for (int i = 0; i < size; ++i) {
    result.row.emplace_back(i);
    result.number.emplace_back(random() % 20);
    result.word.emplace_back(std::string(letters, 'x') + std::to_string(random() % 7));
  }
  if (ascends) std::sort(result.number.begin(), result.number.end());
  for (int i = 0; i < size; ++i) {
    if (random() % 6 == 0) result.number[static_cast<std::size_t>(i)].reset();
    if (random() % 6 == 0) result.word[static_cast<std::size_t>(i)].reset();
  }
  return result;
}

using pair = std::pair<std::optional<std::int64_t>, std::optional<std::int64_t>>;

/// @param equal whether a left and a right row match
template <class Equal>
std::vector<pair> pairs_of(std::size_t lefts, std::size_t rights, join_how how, Equal const& equal) {
  std::vector<pair> result;
  if (how == join_how::right) {
    for (std::size_t r = 0; r < rights; ++r) {
      std::size_t const before = result.size();
      for (std::size_t l = 0; l < lefts; ++l)
        if (equal(l, r)) result.emplace_back(l, r);
      if (result.size() == before) result.emplace_back(std::nullopt, r);
    }
    return result;
  }
  std::vector<bool> seen(rights);
  for (std::size_t l = 0; l < lefts; ++l) {
    std::size_t matches = 0;
    for (std::size_t r = 0; r < rights; ++r) {
      if (!equal(l, r)) continue;
      ++matches;
      seen[r] = true;
      if (how != join_how::semi && how != join_how::anti) result.emplace_back(l, r);
    }
    if ((how == join_how::semi && matches != 0) || (how == join_how::anti && matches == 0))
      result.emplace_back(l, std::nullopt);
    if ((how == join_how::left || how == join_how::full) && matches == 0) result.emplace_back(l, std::nullopt);
  }
  for (std::size_t r = 0; r < rights && how == join_how::full; ++r)
    if (!seen[r]) result.emplace_back(std::nullopt, r);
  return result;
}

std::vector<pair> pairs_in(table const& joined) {
  auto const lefts = values_in<std::int64_t>(joined.column("left"));
  auto const rights = joined.has("right") ? values_in<std::int64_t>(joined.column("right")) : integers(lefts.size());
  std::vector<pair> result;
  for (std::size_t i = 0; i < lefts.size(); ++i) result.emplace_back(lefts[i], rights[i]);
  return result;
}

constexpr join_how all_hows[] = {join_how::inner, join_how::left, join_how::right,
                                 join_how::full,  join_how::semi, join_how::anti};

TEST(tables, joins_on_equality_have_the_pairs_of_a_scan) {
  std::mt19937_64 random(test_seed());
  for (auto const& [lefts, rights, ascends, letters] :
       {std::tuple{70, 50, false, 0}, {20, 90, true, 2}, {0, 9, false, 1}, {9, 0, true, 1}, {40, 40, false, 30}}) {
    side const first = make_side(lefts, random, ascends, static_cast<std::size_t>(letters));
    side const second = make_side(rights, random, ascends, static_cast<std::size_t>(letters));
    table const left = first.whole(7, "left"), right = second.whole(11, "right");
    auto const same = [](auto const& a, auto const& b, bool nulls) { return a == b && (nulls || a.has_value()); };
    for (join_how const how : all_hows)
      for (bool const nulls : {false, true}) {
        auto const numbers = join_tables(left, right, {.left_on = {"number"}, .how = how, .nulls_equal = nulls});
        EXPECT_EQ(pairs_in(numbers),
                  pairs_of(first.row.size(), second.row.size(), how, [&](std::size_t l, std::size_t r) {
                    return same(first.number[l], second.number[r], nulls);
                  }));
        auto const words = join_tables(left, right, {.left_on = {"word"}, .how = how, .nulls_equal = nulls});
        EXPECT_EQ(pairs_in(words),
                  pairs_of(first.row.size(), second.row.size(), how,
                           [&](std::size_t l, std::size_t r) { return same(first.word[l], second.word[r], nulls); }));
        auto const both = join_tables(left, right, {.left_on = {"number", "word"}, .how = how, .nulls_equal = nulls});
        EXPECT_EQ(pairs_in(both), pairs_of(first.row.size(), second.row.size(), how, [&](std::size_t l, std::size_t r) {
                    return same(first.number[l], second.number[r], nulls) && same(first.word[l], second.word[r], nulls);
                  }));
      }
  }
}

TEST(tables, a_full_join_has_the_keys_of_both_sides) {
  table left, right;
  left.add("key", column_of(integers{1, std::nullopt, 3}));
  right.add("key", column_of(integers{3, 4}));
  right.add("name", column_of(texts{"three", "four"}));
  table const found = join_tables(left, right, {.left_on = {"key"}, .how = join_how::full});
  EXPECT_EQ(found.names(), (std::vector<std::string>{"key", "name"}));
  EXPECT_EQ(values_in<std::int64_t>(found.column("key")), (integers{1, std::nullopt, 3, 4}));
  EXPECT_EQ(values_in<std::string>(found.column("name")), (texts{std::nullopt, std::nullopt, "three", "four"}));
  table const apart = join_tables(left, right, {.left_on = {"key"}, .how = join_how::full, .coalesce = false});
  EXPECT_EQ(apart.names(), (std::vector<std::string>{"key", "key_right", "name"}));
}

TEST(tables, integers_of_all_widths_and_floats_are_compared_exactly) {
  constexpr std::int64_t large = (std::int64_t{1} << 53) + 1;
  table left, right, shorts;
  left.add("key", column_of(integers{large, 7, -1}));
  right.add("key", column_of(values<double>{static_cast<double>(large), 7.0, 7.5, -1.0}));
  right.add("row", column_of(integers{0, 1, 2, 3}));
  table const found = join_tables(left, right, {.left_on = {"key"}, .how = join_how::left});
  EXPECT_EQ(values_in<std::int64_t>(found.column("row")), (integers{std::nullopt, 1, 3}));
  shorts.add("key", column_of(values<std::int16_t>{-1, 7}));
  shorts.add("row", column_of(integers{0, 1}));
  table const narrow = join_tables(left, shorts, {.left_on = {"key"}, .how = join_how::left});
  EXPECT_EQ(values_in<std::int64_t>(narrow.column("row")), (integers{std::nullopt, 1, 0}));
}

TEST(tables, dictionaries_join_with_strings_and_are_handed_on) {
  table left, right;
  left.add("word", {dictionary_of({"b", "a", std::nullopt, "c"}), dictionary_of({"c", "b"})});
  right.add("word", column_of(texts{"a", "b", "d"}));
  right.add("number", column_of(integers{10, 20, 30}));
  table const found = join_tables(left, right, {.left_on = {"word"}, .how = join_how::left, .coalesce = false});
  EXPECT_EQ(values_in<std::int64_t>(found.column("number")),
            (integers{20, 10, std::nullopt, std::nullopt, std::nullopt, 20}));
  EXPECT_EQ(values_in<std::string>(found.column("word_right")),
            (texts{"b", "a", std::nullopt, std::nullopt, std::nullopt, "b"}));
  EXPECT_EQ(found.column("word")[0].values().buffers[1], left.column("word")[0].values().buffers[1]) << "no copy";
  EXPECT_EQ(found.column("word")[1].type().dictionary->format, std::string("u"));
}

TEST(tables, as_of_joins_have_the_rows_of_a_scan) {
  std::mt19937_64 random(test_seed());
  for (bool const ascends : {true, false}) {
    side const first = make_side(80, random, ascends, 1), second = make_side(60, random, ascends, 1);
    table const left = first.whole(9, "left"), right = second.whole(13, "right");
    for (bool const grouped : {false, true}) {
      table_asof by{.left_on = "number"};
      if (grouped) by.left_by = {"word"};
      auto const rows = values_in<std::int64_t>(join_asof_tables(left, right, by).column("right"));
      ASSERT_EQ(rows.size(), first.row.size());
      for (std::size_t l = 0; l < rows.size(); ++l) {
        std::optional<std::int64_t> best;
        for (std::size_t r = 0; r < second.row.size(); ++r) {
          if (!first.number[l] || !second.number[r] || *second.number[r] > *first.number[l]) continue;
          if (grouped && (!first.word[l] || first.word[l] != second.word[r])) continue;
          if (!best || *second.number[r] >= *second.number[static_cast<std::size_t>(*best)])
            best = static_cast<std::int64_t>(r);
        }
        EXPECT_EQ(rows[l], best) << "row " << l << ", grouped " << grouped << ", ascends " << ascends;
      }
    }
  }
}

TEST(tables, joins_on_ranges_have_the_pairs_of_a_scan) {
  std::mt19937_64 random(test_seed());
  side const first = make_side(40, random, false, 1), second = make_side(60, random, false, 1);
  table left = first.whole(9, "left");
  integers ends;
  for (auto const& begin : first.number) ends.push_back(begin ? std::optional(*begin + 3) : std::nullopt);
  left.add("end", column_of(ends));
  table const right = second.whole(13, "right");
  for (bool const grouped : {false, true}) {
    table_between by{.lower = "number", .upper = "end", .right_on = "number", .closed = closed_ends::left};
    if (grouped) by.left_by = {"word"};
    auto found = pairs_in(join_between_tables(left, right, by));
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, pairs_of(first.row.size(), second.row.size(), join_how::inner, [&](std::size_t l, std::size_t r) {
                bool const inside = first.number[l] && second.number[r] && *second.number[r] >= *first.number[l] &&
                                    *second.number[r] < *ends[l];
                return inside && (!grouped || (first.word[l] && first.word[l] == second.word[r]));
              }));
  }
}

TEST(tables, streams_give_the_table_that_was_written) {
  std::mt19937_64 random(test_seed());
  side const left = make_side(50, random, false, 3);
  for (std::size_t const per_chunk : {4, 17, 100}) {
    ArrowArrayStream stream{};
    left.whole(per_chunk, "row").write(stream);
    table const read(stream);
    EXPECT_EQ(stream.release, nullptr);
    EXPECT_EQ(read.rows(), 50U);
    EXPECT_EQ(values_in<std::int64_t>(read.column("number")), left.number);
    EXPECT_EQ(values_in<std::string>(read.column("word")), left.word);
  }
  ArrowArrayStream empty{};
  make_side(0, random, false, 1).whole(5, "row").write(empty);
  table const none(empty);
  EXPECT_EQ(none.names(), (std::vector<std::string>{"number", "word", "row"}));
  EXPECT_EQ(join_tables(none, none, {.left_on = {"word"}}).rows(), 0U);
}

TEST(tables, errors_name_what_is_wrong) {
  table left, right;
  left.add("key", column_of(integers{1}));
  left.add("name", column_of(texts{"a"}));
  right.add("key", column_of(integers{1}));
  right.add("name", column_of(texts{"b"}));
  right.add("name_right", column_of(texts{"c"}));
  EXPECT_TRUE(throws<invalid_argument>([&] { join_tables(left, right, {.left_on = {"keys"}}); },
                                       "no column 'keys'; there are 'key', 'name'"));
  EXPECT_TRUE(throws<invalid_argument>([&] { join_tables(left, right, {.left_on = {"key"}}); },
                                       "two columns of the name 'name_right'"));
  EXPECT_TRUE(throws<type_error>([&] { join_tables(left, right, {.left_on = {"key"}, .right_on = {"name"}}); },
                                 "which are not compared"));
  EXPECT_TRUE(throws<invalid_argument>(
      [&] {
        join_tables(left, right, {.left_on = {"key"}, .right_on = {"key", "name"}});
      },
      "1 key columns"));
  EXPECT_TRUE(throws<invalid_argument>([&] { join_tables(left, right, {}); }, "0 key columns"));
  EXPECT_TRUE(
      throws<invalid_argument>([&] { left.add("key", column_of(integers{2})); }, "two columns of the name 'key'"));
  EXPECT_TRUE(throws<invalid_argument>([&] { left.add("more", column_of(integers{2, 3})); }, "2 rows, the others 1"));
  table nested = left;
  nested.add("list", {chunk_of(integers{1}, "+l")});
  EXPECT_TRUE(throws<unsupported>([&] { join_tables(left, nested, {.left_on = {"key"}}); }, "'list'"));
}

TEST(tables, a_gather_looks_at_the_columns_that_it_is_asked_for) {
  table nested;
  nested.add("key", column_of(integers{1, 2}));
  nested.add("list", {chunk_of(integers{1, 2}, "+l")});
  std::vector<std::uint32_t> const rows = {1, no_row<std::uint32_t>};
  table const found = gather(nested, {"key"}, rows);
  EXPECT_EQ(values_in<std::int64_t>(found.column("key")), (integers{2, std::nullopt}));
  EXPECT_TRUE(throws<unsupported>([&] { gather(nested, {"list"}, rows); }, "'list'"));
}

TEST(tables, a_schema_without_its_columns_is_refused) {
  ArrowArrayStream stream{};
  stream.get_schema = [](ArrowArrayStream*, ArrowSchema* out) {
    *out = {"+s", "", nullptr, 0, 1, nullptr, nullptr, [](ArrowSchema* self) { self->release = nullptr; }, nullptr};
    return 0;
  };
  stream.get_next = [](ArrowArrayStream*, ArrowArray*) { return 0; };
  stream.release = [](ArrowArrayStream* self) { self->release = nullptr; };
  EXPECT_TRUE(throws<invalid_argument>([&] { table{stream}; }, "columns of its schema are null"));
}

TEST(tables, streams_that_fail_say_why) {
  ArrowArrayStream stream{};
  stream.get_schema = [](ArrowArrayStream*, ArrowSchema* out) {
    *out = chunk_of(integers{1}).schema();
    return 0;
  };
  stream.get_next = [](ArrowArrayStream*, ArrowArray*) { return EIO; };
  stream.get_last_error = [](ArrowArrayStream*) { return "the disk is gone"; };
  stream.release = [](ArrowArrayStream* self) { self->release = nullptr; };
  EXPECT_TRUE(throws<io_error>([&] { table{stream}; }, "the disk is gone"));
  EXPECT_EQ(stream.release, nullptr);
}

}  // namespace
}  // namespace warpdex::test
