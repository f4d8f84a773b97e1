// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "join/oracle.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/seed.hpp"

#include <gtest/gtest.h>

/// @file
/// Joins over strings against the same joins over numbers: number n becomes n letters, so that the order is the same,
/// and each string is a prefix of the next one.
namespace warpdex::test {
namespace {

class joins_of_strings : public testing::TestWithParam<std::tuple<std::string, backend_kind>> {
 protected:
  /// Numbers with nulls, and the same as strings.
  struct twin_column {
    test_column<std::uint32_t> values;
    byte_strings strings;
    std::vector<std::uint8_t> bits;

    explicit twin_column(test_column<std::uint32_t> from) : values(std::move(from)), bits(values.bits(0)) {
      for (std::uint32_t const n : values.values) strings.push_back(std::string(n, 'a'));
    }
    std::uint8_t const* validity() const { return values.valid.empty() ? nullptr : bits.data(); }
    nullable_column as_numbers() const { return {column(values.values), validity()}; }
    nullable_column as_strings() const { return {strings.view(), validity()}; }
  };

  twin_column make(std::size_t size, std::uint32_t range, bool nulls) {
    test_column<std::uint32_t> strings;
    for (std::size_t i = 0; i < size; ++i) strings.values.push_back(static_cast<std::uint32_t>(random_() % range));
    if (nulls) add_nulls(strings, random_);
    return twin_column(std::move(strings));
  }

  pairs of(joined const& all) const { return pairs_of(all.left_rows(), all.right_rows(), exec); }

  std::string const sample = std::get<0>(GetParam());
  backend_kind const backend = std::get<1>(GetParam());
  test_stream const stream{backend};
  execution const exec{memory_of(backend), stream};

 private:
  std::mt19937_64 random_{test_seed() ^ name_hash(sample)};
};

TEST_P(joins_of_strings, equality_and_ranges) {
  for (bool const nulls : {false, true}) {
    twin_column const keys = make(80, 40, nulls), lower = make(60, 50, nulls), upper = make(60, 50, false);
    index const numbers = build_valid("AO+BS", keys.as_numbers(), exec);
    index const strings = build_valid(sample, keys.as_strings(), exec);
    for (join_kind const kind : all_kinds) {
      EXPECT_EQ(of(join(strings, lower.as_strings(), kind, exec)), of(join(numbers, lower.as_numbers(), kind, exec)));
      EXPECT_EQ(of(hash_join(lower.as_strings(), keys.as_strings(), kind, exec)),
                of(hash_join(lower.as_numbers(), keys.as_numbers(), kind, exec)));
      for (bool const has_lower : {true, false})
        for (closed_ends const closed : all_closed_ends) {
          auto const from = [&](nullable_column const& c) {
            return has_lower ? std::optional<nullable_column>(c) : std::nullopt;
          };
          EXPECT_EQ(of(join_between(strings, {from(lower.as_strings()), upper.as_strings(), closed}, kind, exec)),
                    of(join_between(numbers, {from(lower.as_numbers()), upper.as_numbers(), closed}, kind, exec)))
              << has_lower << static_cast<int>(closed);
        }
    }
  }
}

TEST_P(joins_of_strings, nearest_keys) {
  for (bool const nulls : {false, true}) {
    twin_column const groups = make(90, 5, nulls), keys = make(90, 40, nulls);
    twin_column const left_groups = make(70, 6, nulls), left = make(70, 50, nulls);
    index const of_numbers = build_valid("AO+BS", keys.as_numbers(), exec);
    index const of_strings = build_valid(sample, keys.as_strings(), exec);
    grouped_index const in_groups = grouped_index::build("AO+BS", groups.as_numbers(), keys.as_numbers(), exec);
    grouped_index const in_string_groups = grouped_index::build("AO+BS", groups.as_strings(), keys.as_numbers(), exec);
    grouped_index const all_strings = grouped_index::build("AO+BS", groups.as_strings(), keys.as_strings(), exec);
    for (asof_strategy const strategy : {asof_strategy::backward, asof_strategy::forward})
      for (bool const exact : {true, false})
        for (bool const last : {true, false}) {
          SCOPED_TRACE(testing::Message() << static_cast<int>(strategy) << exact << last);
          asof_options const ask{strategy, exact, std::nullopt, asof_preference::earlier,
                                 last ? asof_ties::last : asof_ties::first};
          std::vector<std::uint32_t> expected(70, 1), rows(70, 2);
          join_asof(of_numbers, left.as_numbers(), row_output(expected), exec, ask);
          join_asof(of_strings, left.as_strings(), row_output(rows), exec, ask);
          EXPECT_EQ(rows, expected);
          for (join_kind const kind : all_kinds) {
            EXPECT_EQ(of(join_asof(of_strings, left.as_strings(), kind, exec, ask)),
                      of(join_asof(of_numbers, left.as_numbers(), kind, exec, ask)));
            EXPECT_EQ(of(join_asof(all_strings, left_groups.as_strings(), left.as_strings(), kind, exec, ask)),
                      of(join_asof(in_groups, left_groups.as_numbers(), left.as_numbers(), kind, exec, ask)));
          }
          join_asof(in_groups, left_groups.as_numbers(), left.as_numbers(), row_output(expected), exec, ask);
          join_asof(in_string_groups, left_groups.as_strings(), left.as_numbers(), row_output(rows), exec, ask);
          EXPECT_EQ(rows, expected);
          join_asof(all_strings, left_groups.as_strings(), left.as_strings(), row_output(rows), exec, ask);
          EXPECT_EQ(rows, expected);
        }
  }
}

TEST_P(joins_of_strings, have_no_distances) {
  twin_column const keys = make(8, 9, false);
  index const right = index::build(sample, keys.as_strings(), exec);
  std::vector<std::uint32_t> rows(8);
  auto const ask = [&](asof_options const& options) {
    join_asof(right, keys.as_strings(), row_output(rows), exec, options);
  };
  EXPECT_TRUE(throws<unsupported>([&] { ask({.strategy = asof_strategy::nearest}); }, "bytes", "no distances"));
  EXPECT_TRUE(throws<unsupported>([&] { ask({.tolerance = std::int64_t{1}}); }, "bytes", "no distances"));
  EXPECT_TRUE(throws<unsupported>([&] { ask({.offsets = {std::int64_t{1}}}); }, "bytes", "cannot be moved"));
}

INSTANTIATE_TEST_SUITE_P(all, joins_of_strings,
                         testing::Combine(testing::Values("AO+BS", "GRT", "AO+BS/reorder=window"),
                                          testing::ValuesIn(present_backends())),
                         sample_and_backend_name);

/// Keys of 16 bytes have distances, which may be larger than any 64-bit number.
TEST(asof_u128, distances_and_groups) {
  u128 const far = u128{1} << 100;
  std::vector<u128> const keys = {0, far, 3 * far, ~u128{0}};
  std::vector<std::uint32_t> const groups = {1, 1, 1, 2};
  std::vector<u128> const probes = {far - 1, 2 * far, ~u128{0} - 1, far / 2};
  std::vector<std::uint32_t> const left_groups = {1, 1, 2, 3};
  std::vector<std::uint32_t> rows(4);
  execution const exec;
  join_asof(index::build("AO+BS", keys, exec), column(probes), row_output(rows), exec,
            {.strategy = asof_strategy::nearest, .tolerance = std::int64_t{1}});
  constexpr auto no = no_row<std::uint32_t>;
  EXPECT_EQ(rows, (std::vector<std::uint32_t>{1, no, 3, no}));
  grouped_index const right = grouped_index::build("AO+BS", column(groups), column(keys), exec);
  join_asof(right, column(left_groups), column(probes), row_output(rows), exec,
            {.strategy = asof_strategy::nearest, .prefer = asof_preference::later});
  EXPECT_EQ(rows, (std::vector<std::uint32_t>{1, 2, 3, no}));
}

}  // namespace
}  // namespace warpdex::test
