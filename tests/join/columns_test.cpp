// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/join.hpp>
#include <warpdex/sorted.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "join/oracle.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/seed.hpp"

/// @file
/// Joins of two columns that ascend, and those that list rows of both sides.
namespace warpdex::test {
namespace {

template <class T> test_column<T> ascending_column(int size, int range, std::mt19937_64& random) {
  test_column<T> result;
  int const middle = range / 2;
  for (int i = 0; i < size; ++i) {
    int const number = static_cast<int>(random() % static_cast<unsigned>(range)) - middle;
    result.values.push_back(static_cast<T>(number));
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (size > 4) result.values[0] = result.values[1] = std::numeric_limits<T>::quiet_NaN();
    if (size > 4) result.values[2] = T{-0.0};
  }
  if (size > 8) result.values[5] = std::numeric_limits<T>::max();
  if (size > 8) result.values[6] = std::numeric_limits<T>::lowest();
  std::stable_sort(result.values.begin(), result.values.end(), [](T a, T b) { return less(exact_of(a), exact_of(b)); });
  return result;
}

/// The pairs of a full join: those of a left one, and each right row that is in none of them.
pairs with_right_rows(pairs left, number rights) {
  std::vector<bool> seen(rights);
  for (auto const& [l, r] : left)
    if (r != none) seen[r] = true;
  for (number row = 0; row < rights; ++row)
    if (!seen[row]) left.emplace_back(none, row);
  return left;
}

constexpr join_kind kinds_of_columns[] = {join_kind::inner, join_kind::left, join_kind::semi, join_kind::anti,
                                          join_kind::full};

class columns_join_on : public testing::TestWithParam<backend_kind> {
 protected:
  template <class Left, class Right> void expect_as_a_scan(bool nulls, std::mt19937_64& random) {
    test_stream const stream(GetParam());
    execution const exec(memory_of(GetParam()), stream);
    for (auto const& [lefts, rights, range] :
         {std::tuple{40, 90, 30}, {300, 40, 30}, {0, 5, 4}, {5, 0, 4}, {70, 80, 1}}) {
      auto left = ascending_column<Left>(lefts, range, random);
      auto right = ascending_column<Right>(rights, range, random);
      if (nulls) add_nulls(left, random);
      if (nulls) add_nulls(right, random);
      for (place const where : places()) {
        placed_column<Left> const l(left, where, exec);
        placed_column<Right> const r(right, where, exec, 11);
        for (join_kind const kind : kinds_of_columns) {
          bool const full = kind == join_kind::full;
          auto expected =
              expected_pairs(left.values.size(), right, full ? join_kind::left : kind,
                             [&](number i, exact key) { return left.has(i) && same(exact_of(left.values[i]), key); });
          if (full) expected = with_right_rows(expected, right.values.size());
          joined const merged = merge_join(l.get(), r.get(), kind, exec);
          EXPECT_EQ(pairs_of(merged.left_rows(), merged.right_rows(), exec), expected)
              << lefts << " and " << rights << ", kind " << static_cast<int>(kind);
          batch_reader read{exec, 16};
          EXPECT_EQ(merge_join(l.get(), r.get(), kind, std::ref(read), exec, {16, 33, {}}), expected.size());
          EXPECT_EQ(read.all, expected);
          EXPECT_FALSE(read.too_many);
          for (joined const& other : {hash_join(l.get(), r.get(), kind, exec), join(l.get(), r.get(), kind, exec)}) {
            auto got = pairs_of(other.left_rows(), other.right_rows(), exec);
            if (kind == join_kind::inner) std::sort(got.begin(), got.end());
            EXPECT_EQ(got, expected) << lefts << " and " << rights << ", kind " << static_cast<int>(kind);
          }
        }
      }
    }
  }

  std::vector<place> places() const {
    if (GetParam() == backend_kind::cpu) return {place::host};
    return {place::host, place::device};
  }
};

TEST_P(columns_join_on, equals_a_scan) {
  std::mt19937_64 random(test_seed());
  expect_as_a_scan<std::uint32_t, std::uint32_t>(false, random);
  expect_as_a_scan<std::int64_t, std::int64_t>(false, random);
  expect_as_a_scan<double, double>(false, random);
  expect_as_a_scan<std::int32_t, std::int32_t>(true, random);
}

TEST_P(columns_join_on, of_different_types_equals_a_scan) {
  std::mt19937_64 random(test_seed() + 1);
  expect_as_a_scan<std::int32_t, std::int64_t>(false, random);
  expect_as_a_scan<std::int64_t, float>(true, random);
}

/// One key on both sides makes more pairs than fit into a batch.
TEST_P(columns_join_on, one_run_of_equal_keys) {
  test_stream const stream(GetParam());
  execution const exec(memory_of(GetParam()), stream);
  constexpr number size = 1 << 12;
  std::vector<std::int64_t> const left(size, -7), right(size, -7);
  number sum = 0, batches = 0;
  auto const add = [&](join_batch const& batch) {
    ++batches;
    for (auto const& [l, r] : pairs_of(batch.left, batch.right, exec)) sum += l * size + r;
  };
  EXPECT_EQ(merge_join(column(left), column(right), join_kind::inner, add, exec, {1 << 20, 1 << 27, {}}), size * size);
  EXPECT_EQ(batches, size * size >> 20);
  EXPECT_EQ(sum, size * size * (size * size - 1) / 2);
}

TEST_P(columns_join_on, refuses_what_cannot_be_merged) {
  test_stream const stream(GetParam());
  execution const exec(memory_of(GetParam()), stream);
  std::vector<std::uint32_t> const up = {1, 2, 2, 3}, down = {1, 3, 2, 4};
  EXPECT_TRUE(
      throws<invalid_argument>([&] { (void)merge_join(up, down, join_kind::inner, exec); }, "not sorted", "number 2"));
  EXPECT_EQ(merge_join(down, up, join_kind::inner, exec).size, 4u) << "the left side need not ascend";
  std::vector<u128> const wide = {1, 2};
  EXPECT_TRUE(throws<unsupported>([&] { (void)merge_join(wide, wide, join_kind::inner, exec); }, "u128"));
  EXPECT_TRUE(throws<invalid_argument>([&] { (void)merge_join(up, up, static_cast<join_kind>(9), exec); }, "kind"));
  index const built = index::build("AO+BS", up, exec);
  EXPECT_TRUE(throws<unsupported>([&] { (void)join(built, up, join_kind::full, exec); }, "join two columns"));
  EXPECT_EQ(join(wide, wide, join_kind::full, exec).size, 2u);
}

TEST_P(columns_join_on, order_and_as_of_merges) {
  test_stream const stream(GetParam());
  execution const exec(memory_of(GetParam()), stream);
  std::vector<std::int64_t> const up = {-5, 1, 1, 9}, down = {1, 0}, probes = {-9, 0, 1, 20};
  for (place const where : places()) {
    input_array<std::int64_t> const copied(up, where, 0, exec), other(down, where, 0, exec);
    EXPECT_TRUE(ascends({copied.data(), 4, key_type::i64}, exec));
    EXPECT_FALSE(ascends({other.data(), 2, key_type::i64}, exec));
    for (row_type const type : {row_type::u32, row_type::u64}) {
      std::vector<std::uint64_t> rows(4);
      row_output const to(rows.data(), 4, type);
      EXPECT_TRUE(asof_merge(probes, {copied.data(), 4, key_type::i64}, to, exec));
      EXPECT_EQ(rows_of({rows.data(), 4, type}, execution()), (std::vector<number>{none, 0, 1, 3}));
      EXPECT_TRUE(asof_merge(up, probes, up, {copied.data(), 4, key_type::i64}, to, exec));
      EXPECT_EQ(rows_of({rows.data(), 4, type}, execution()), (std::vector<number>{none, none, 1, 3}));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(all, columns_join_on, testing::ValuesIn(present_backends()), backend_name);

}  // namespace
}  // namespace warpdex::test
