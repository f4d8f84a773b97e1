// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "join/oracle.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/seed.hpp"

#include <gtest/gtest.h>

/// @file
/// As-of joins at offsets.
namespace warpdex::test {
namespace {

/// Offsets against joins of probes that were moved before, over an index, within groups, and by merges.
class asof_offsets : public testing::TestWithParam<backend_kind> {
 protected:
  test_stream const stream{GetParam()};
  execution const exec{memory_of(GetParam()), stream};
  std::mt19937_64 random{test_seed()};

  /// @param moved moved(probe, offset) the sum, or nothing if it is beyond the type
  template <class Key, class Moved>
  void check(test_column<Key> keys, test_column<Key> probes, std::vector<asof_tolerance> const& offsets,
             Moved const& moved) {
    auto const size = probes.values.size();
    std::vector<std::uint32_t> group_of_key(keys.values.size()), group_of_probe(size);
    for (auto* const groups : {&group_of_key, &group_of_probe})
      for (auto& group : *groups) group = static_cast<std::uint32_t>(random() % 3);
    for (bool const ascend : {false, true}) {
      if (ascend) {
        probes.valid.clear();
        std::sort(keys.values.begin(), keys.values.end());
        std::sort(probes.values.begin(), probes.values.end());
      }
      placed_column<Key> const rights(keys, place::host, exec, 0);
      index const right = index::build("AO+BS", column(keys.values), exec);
      grouped_index const grouped = grouped_index::build("AO+BS", column(group_of_key), column(keys.values), exec);
      for (place const where : {place::host, GetParam() == backend_kind::cpu ? place::host : place::device}) {
        placed_column<Key> const left(probes, where, exec);
        for (asof_options ask : all_options(std::int64_t{2})) {
          ask.offsets = offsets;
          output_array<std::uint32_t> rows(size * offsets.size(), 77, where, exec);
          auto const expect = [&](grouped_index const* groups) {
            auto const got = rows.read();
            for (number o = 0; o < offsets.size(); ++o)
              for (number i = 0; i < size; ++i) {
                auto const sum = moved(probes.values[i], offsets[o]);
                std::vector<Key> const probe{sum.value_or(Key{})};
                std::vector<std::uint32_t> expected(1);
                asof_options once = ask;
                once.offsets.clear();
                std::vector<std::uint32_t> const group{group_of_probe[i]};
                if (groups != nullptr)
                  join_asof(*groups, column(group), column(probe), row_output(expected), exec, once);
                else join_asof(right, column(probe), row_output(expected), exec, once);
                if (!sum || !probes.has(i)) expected[0] = no_row<std::uint32_t>;
                ASSERT_EQ(got[o * size + i], expected[0]) << "offset " << o << ", probe " << i;
              }
          };
          join_asof(right, left.get(), row_output(rows.span()), exec, ask);
          expect(nullptr);
          placed_column<std::uint32_t> const groups({group_of_probe, {}}, where, exec);
          join_asof(grouped, groups.get(), left.get(), row_output(rows.span()), exec, ask);
          expect(&grouped);
          if (!ascend || (where == place::host) != (GetParam() == backend_kind::cpu)) continue;
          placed_column<Key> const sorted(keys, where, exec);
          placed_column<std::uint32_t> const key_groups({group_of_key, {}}, where, exec);
          nullable_column const lefts = left.get(), over = sorted.get(), l = groups.get(), r = key_groups.get();
          column const &left_keys = lefts, &right_keys = over, &left_groups = l, &right_groups = r;
          ASSERT_TRUE(asof_merge(left_keys, right_keys, row_output(rows.span()), exec, ask));
          expect(nullptr);
          ASSERT_TRUE(asof_merge(left_groups, left_keys, right_groups, right_keys, row_output(rows.span()), exec, ask));
          expect(&grouped);
        }
      }
    }
  }

  template <class Key> test_column<Key> make(std::size_t size, number range, Key first) {
    test_column<Key> result;
    for (std::size_t i = 0; i < size; ++i)
      result.values.push_back(static_cast<Key>(first + static_cast<Key>(random() % range)));
    return result;
  }
};

TEST_P(asof_offsets, integers) {
  auto const moved = []<class Key>(Key probe, asof_tolerance const& by) -> std::optional<Key> {
    exact const sum = exact_of(probe) + static_cast<exact>(std::get<std::int64_t>(by));
    if (sum < exact_of(std::numeric_limits<Key>::lowest()) || sum > exact_of(std::numeric_limits<Key>::max()))
      return {};
    return static_cast<Key>(sum);
  };
  std::vector<asof_tolerance> const offsets = {std::int64_t{-4}, std::int64_t{0}, std::int64_t{9}};
  for (bool const nulls : {false, true}) {
    auto probes = make<std::uint32_t>(40, 30, 0);
    if (nulls) add_nulls(probes, random);
    check(make<std::uint32_t>(30, 30, 0), probes, offsets, moved);
  }
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  check(make<std::int64_t>(20, 20, largest - 19), make<std::int64_t>(30, 20, largest - 19), offsets, moved);
  check(make<std::uint64_t>(20, 9, 0), make<std::uint64_t>(30, 9, 0),
        {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1}, largest}, moved);
}

TEST_P(asof_offsets, floats) {
  check(make<float>(30, 30, 0), make<float>(40, 30, 0), {1.5, -2.25, std::int64_t{3}},
        [](float probe, asof_tolerance const& by) {
          auto const* const whole = std::get_if<std::int64_t>(&by);
          return std::optional(static_cast<float>(
              static_cast<double>(probe) + (whole != nullptr ? static_cast<double>(*whole) : std::get<double>(by))));
        });
}

TEST_P(asof_offsets, wrong_arguments) {
  std::vector<std::uint32_t> const keys = {1, 2, 3};
  index const right = index::build("AO+BS", keys, exec);
  std::vector<std::uint32_t> rows(6);
  auto const ask = [&](asof_tolerance const& second, std::size_t size = 6) {
    join_asof(right, column(keys), row_output(std::span(rows).first(size)), exec,
              {.offsets = {std::int64_t{0}, second}});
  };
  ask(2.0);
  EXPECT_EQ(rows, (std::vector<std::uint32_t>{0, 1, 2, 2, 2, 2}));
  EXPECT_TRUE(throws<invalid_argument>([&] { ask(2.5); }, "join_asof", "offsets", "2.5", "u32"));
  EXPECT_TRUE(throws<invalid_argument>([&] { ask(std::nan("")); }, "offset", "nan"));
  EXPECT_TRUE(throws<invalid_argument>([&] { ask(1e30); }, "offset", "integer of 64 bits"));
  EXPECT_TRUE(throws<invalid_argument>([&] { ask(2.0, 5); }, "the row output", "5 elements", "6"));
  EXPECT_TRUE(throws<unsupported>(
      [&] { join_asof(right, column(keys), join_kind::inner, exec, {.offsets = {std::int64_t{1}}}); }, "offsets"));
  if (GetParam() != backend_kind::cpu) return;
  rows.assign({7, 7, 7, 7, 7, 7});
  EXPECT_TRUE(throws<invalid_argument>(
      [&] {
        join_asof(right, column(rows.data(), 3, key_type::u32), row_output(rows), exec,
                  {.offsets = {std::int64_t{0}, std::int64_t{1}}});
      },
      "overlap"));
  EXPECT_EQ(rows, std::vector<std::uint32_t>(6, 7));
  EXPECT_TRUE(
      throws<unsupported>([&] { join_asof(right, column(keys), join_kind::full, exec); }, "join_asof", "two columns"));
}

INSTANTIATE_TEST_SUITE_P(all, asof_offsets, testing::ValuesIn(present_backends()), backend_name);

}  // namespace
}  // namespace warpdex::test
