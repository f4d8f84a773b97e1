// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/tuple_join.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "join/oracle.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/seed.hpp"

/// @file
/// Joins on several columns, against a scan.
namespace warpdex::test {
namespace {

/// One side: a column of each kind, of which a join takes some. Strings have two bytes.
template <class Wide> struct tuple_side {
  test_column<std::uint32_t> small;
  test_column<Wide> wide;
  test_column<u128> widest;
  std::string text;
  std::vector<bool> has_text;

  tuple_side(std::size_t size, bool nulls, std::mt19937_64& random) {
    for (std::size_t i = 0; i < size; ++i) {
      small.values.push_back(random() % 3);
      wide.values.push_back(static_cast<Wide>(random() % 4) - 1);
      widest.values.push_back(u128{random() % 2} << 100);
      text += {static_cast<char>('a' + random() % 2), static_cast<char>('x' + random() % 2)};
    }
    if (!nulls) return;
    add_nulls(small, random);
    add_nulls(widest, random);
    for (std::size_t i = 0; i < size; ++i) has_text.push_back(random() % 3 != 0);
  }

  std::size_t size() const { return small.values.size(); }
};

/// The columns of a side where a join reads them.
template <class Wide> class placed_side {
 public:
  placed_side(tuple_side<Wide> const& from, place where, execution const& exec)
      : small_(from.small, where, exec), wide_(from.wide, where, exec), widest_(from.widest, where, exec),
        text_(std::vector<char>(from.text.begin(), from.text.end()), where, 0, exec),
        bits_(test_column<int>{std::vector<int>(from.size()), from.has_text}.bits(1), where, 0, exec),
        has_nulls_(!from.has_text.empty()) {}

  /// @param which of the four columns, as bits
  std::vector<nullable_column> columns(unsigned which) const {
    std::vector<nullable_column> result;
    if ((which & 1) != 0) result.push_back(small_.get());
    if ((which & 2) != 0) result.push_back(wide_.get());
    if ((which & 4) != 0) result.push_back(widest_.get());
    if ((which & 8) == 0) return result;
    std::span const bytes(reinterpret_cast<std::byte const*>(text_.data()), text_.size());
    auto const* const bits = has_nulls_ ? static_cast<std::uint8_t const*>(bits_.data()) : nullptr;
    result.emplace_back(column::fixed_bytes(bytes, 2, text_.size() / 2), bits, 1);
    return result;
  }

 private:
  placed_column<std::uint32_t> small_;
  placed_column<Wide> wide_;
  placed_column<u128> widest_;
  input_array<char> text_;
  input_array<std::uint8_t> bits_;
  bool has_nulls_;
};

/// @return whether the tuples of two rows match
template <class A, class B>
bool match(tuple_side<A> const& left, number l, tuple_side<B> const& right, number r, unsigned which,
           bool nulls_equal) {
  auto const agree = [nulls_equal](bool has_left, bool has_right, bool equal) {
    return has_left && has_right ? equal : nulls_equal && !has_left && !has_right;
  };
  auto const has = [](std::vector<bool> const& valid, number i) { return valid.empty() || valid[i]; };
  if ((which & 1) != 0 && !agree(left.small.has(l), right.small.has(r), left.small.values[l] == right.small.values[r]))
    return false;
  if ((which & 2) != 0 && !same(exact_of(left.wide.values[l]), exact_of(right.wide.values[r]))) return false;
  if ((which & 4) != 0 &&
      !agree(left.widest.has(l), right.widest.has(r), left.widest.values[l] == right.widest.values[r]))
    return false;
  return (which & 8) == 0 ||
         agree(has(left.has_text, l), has(right.has_text, r), left.text.compare(2 * l, 2, right.text, 2 * r, 2) == 0);
}

template <class A, class B>
pairs scan(tuple_side<A> const& left, tuple_side<B> const& right, join_kind kind, unsigned which, bool nulls_equal) {
  pairs result;
  std::vector<bool> seen(right.size());
  for (number l = 0; l < left.size(); ++l) {
    std::vector<number> found;
    for (number r = 0; r < right.size(); ++r)
      if (match(left, l, right, r, which, nulls_equal)) found.push_back(r);
    if (kind == join_kind::semi || kind == join_kind::anti) {
      if (found.empty() == (kind == join_kind::anti)) result.emplace_back(l, none);
      continue;
    }
    for (number const r : found) result.emplace_back(l, r), seen[r] = true;
    if (found.empty() && kind != join_kind::inner) result.emplace_back(l, none);
  }
  if (kind == join_kind::full)
    for (number r = 0; r < right.size(); ++r)
      if (!seen[r]) result.emplace_back(none, r);
  return result;
}

class tuple_joins : public testing::TestWithParam<backend_kind> {
 protected:
  std::vector<place> places() const {
    if (GetParam() == backend_kind::cpu) return {place::host};
    return {place::host, place::device};
  }

  template <class A, class B> void expect_as_a_scan(bool nulls, bool nulls_equal, std::mt19937_64& random) {
    test_stream const stream(GetParam());
    execution const exec(memory_of(GetParam()), stream);
    for (auto const& [lefts, rights] : {std::pair{60, 40}, {20, 90}, {0, 5}, {5, 0}, {1, 1}}) {
      tuple_side<A> const left(static_cast<std::size_t>(lefts), nulls, random);
      tuple_side<B> const right(static_cast<std::size_t>(rights), nulls, random);
      for (place const where : places()) {
        placed_side const l(left, where, exec);
        placed_side const r(right, where, exec);
        for (unsigned which = 1; which < 16; ++which)
          for (auto const kind :
               {join_kind::inner, join_kind::left, join_kind::semi, join_kind::anti, join_kind::full}) {
            auto const mine = l.columns(which), others = r.columns(which);
            joined const found = join(mine, others, kind, nulls_equal, exec);
            EXPECT_EQ(pairs_of(found.left_rows(), found.right_rows(), exec),
                      scan(left, right, kind, which, nulls_equal))
                << lefts << " and " << rights << ", columns " << which << ", kind " << static_cast<int>(kind);
          }
      }
    }
  }
};

TEST_P(tuple_joins, have_the_pairs_of_a_scan) {
  std::mt19937_64 random(test_seed());
  expect_as_a_scan<std::int64_t, std::int64_t>(false, false, random);
  expect_as_a_scan<std::int64_t, std::int64_t>(true, false, random);
  expect_as_a_scan<std::int64_t, std::int64_t>(true, true, random);
}

TEST_P(tuple_joins, compare_columns_of_two_types) {
  std::mt19937_64 random(test_seed() + 1);
  expect_as_a_scan<std::int64_t, std::int32_t>(true, true, random);
  expect_as_a_scan<double, double>(true, false, random);
}

TEST_P(tuple_joins, as_of_within_groups_equal_a_scan) {
  std::mt19937_64 random(test_seed() + 2);
  test_stream const stream(GetParam());
  execution const exec(memory_of(GetParam()), stream);
  for (bool const nulls_equal : {false, true})
    for (unsigned which = 0; which < 16; ++which) {
      tuple_side<std::int64_t> const left(70, true, random), right(50, true, random);
      test_column<std::int64_t> times, others;
      for (int i = 0; i < 70; ++i) times.values.push_back(static_cast<std::int64_t>(random() % 30));
      for (int i = 0; i < 50; ++i) others.values.push_back(static_cast<std::int64_t>(random() % 30));
      if (which % 2 == 0) {
        std::sort(times.values.begin(), times.values.end());
        std::sort(others.values.begin(), others.values.end());
      }
      std::vector<number> expected;
      for (number l = 0; l < 70; ++l) {
        number best = none;
        for (number r = 0; r < 50; ++r) {
          if (others.values[r] > times.values[l]) continue;
          if (which != 0 && !match(left, l, right, r, which, nulls_equal)) continue;
          if (best == none || others.values[r] > others.values[best]) best = r;
        }
        expected.push_back(best);
      }
      for (place const where : places()) {
        placed_side const l(left, where, exec), r(right, where, exec);
        placed_column const probes(times, where, exec), keys(others, where, exec);
        buffer const rows(70 * sizeof(std::uint32_t), exec);
        row_output const to{rows.data(), 70, row_type::u32};
        join_asof(l.columns(which), probes.get(), r.columns(which), keys.get(), nulls_equal, to, exec);
        EXPECT_EQ(rows_of({rows.data(), 70, row_type::u32}, exec), expected) << "columns " << which;
      }
    }
}

TEST_P(tuple_joins, order_of_pairs_and_rows_without_one) {
  test_stream const stream(GetParam());
  execution const exec(memory_of(GetParam()), stream);
  std::vector<std::uint32_t> const left{3, 1, no_row<std::uint32_t>, 1}, right{0, 2, 5, no_row<std::uint32_t>};
  auto const held = [&](std::vector<std::uint32_t> const& from) {
    buffer to(from.size() * 4, exec);
    copy(to.data(), from.data(), to.bytes(), exec);
    return to;
  };
  joined const all = with_unmatched({held(left), held(right), 4}, 7, exec);
  pairs const expected{{3, 0}, {1, 2}, {none, 5}, {1, none}, {none, 1}, {none, 3}, {none, 4}, {none, 6}};
  EXPECT_EQ(pairs_of(all.left_rows(), all.right_rows(), exec), expected);
  row_output const first{const_cast<void*>(all.left.data()), all.size, row_type::u32};
  row_output const second{const_cast<void*>(all.right.data()), all.size, row_type::u32};
  sort_pairs(first, second, exec);
  pairs sorted = expected;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(pairs_of(all.left_rows(), all.right_rows(), exec), sorted);
}

TEST_P(tuple_joins, refuse_columns_that_do_not_match) {
  execution const exec(memory_of(GetParam()), {});
  std::vector<std::uint32_t> const few{1, 2}, many{1, 2, 3};
  std::vector<date> const days{date{1}, date{2}};
  std::vector<nullable_column> const one{few}, two{few, few}, uneven{few, many}, dates{days};
  auto const refused = [&](auto const& left, auto const& right, auto... words) {
    EXPECT_TRUE(throws<invalid_argument>([&] { (void)join(left, right, join_kind::inner, false, exec); }, words...));
  };
  refused(one, two, "1 left columns and 2 right ones");
  refused(std::vector<nullable_column>{}, std::vector<nullable_column>{}, "0 left columns");
  refused(uneven, two, "the left column number 1 has 3 elements, 2 are needed");
  refused(dates, one, "the left column number 0 is of type date");
  EXPECT_TRUE(throws<invalid_argument>([&] { (void)with_unmatched({{}, {}, 3}, 4, exec); }, "no right rows"));
}

INSTANTIATE_TEST_SUITE_P(, tuple_joins, testing::ValuesIn(present_backends()), backend_name);

}  // namespace
}  // namespace warpdex::test
