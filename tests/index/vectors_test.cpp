// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/index.hpp>

#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <ranges>
#include <string>
#include <string_view>

#include "support/expect.hpp"

/// @file
/// The interface for everyday use: ranges of all kinds, single keys, answers in vectors, typed matches.
namespace warpdex::test {
namespace {

using numbers = std::vector<std::uint64_t>;
using row_ids = std::vector<std::uint32_t>;

class everyday : public testing::Test {
 protected:
  std::vector<std::uint32_t> const keys_ = {30, 10, 20, 10};
  index const index_ = index::build(std::string_view("AO+BS"), keys_, {});
};

TEST_F(everyday, arrays_of_all_kinds_are_columns) {
  std::vector<std::uint32_t> const in_vector = {10, 25};
  std::array<std::uint32_t, 2> const in_array = {10, 25};
  std::uint32_t const plain[] = {10, 25};
  std::span<std::uint32_t const, 2> const fixed(plain);
  row_ids const expected = {1, no_row<std::uint32_t>};
  EXPECT_EQ(index_.find(in_vector), expected);
  EXPECT_EQ(index_.find(in_array), expected);
  EXPECT_EQ(index_.find(plain), expected);
  EXPECT_EQ(index_.find(fixed), expected);
  EXPECT_EQ(index_.find(std::vector<std::uint32_t>{10, 25}), expected);
}

TEST_F(everyday, arrays_of_all_kinds_are_outputs) {
  execution const exec;
  row_ids rows(4);
  std::array<std::uint32_t, 4> in_array{};
  std::uint32_t plain[4] = {};
  index_.find(keys_, rows, exec);
  index_.find(keys_, in_array, exec);
  index_.find(keys_, plain, exec);
  row_ids const expected = {0, 1, 2, 1};
  EXPECT_EQ(rows, expected);
  EXPECT_EQ(row_ids(in_array.begin(), in_array.end()), expected);
  EXPECT_EQ(row_ids(plain, plain + 4), expected);
  std::vector<std::uint32_t> nearest(4);
  index_.floor(keys_, nearest, rows, exec);
  EXPECT_EQ(nearest, keys_);
}

TEST_F(everyday, given_rows) {
  std::array<std::uint64_t, 2> const keys = {5, 6}, rows = {50, 60};
  index const built = index::build("HT(open)", keys, rows, {});
  EXPECT_EQ(built.find<std::uint64_t>(keys), numbers({50, 60}));
  EXPECT_TRUE(throws<invalid_argument>([&] { built.find(keys); }, "find", "u64"));
}

TEST_F(everyday, single_keys) {
  EXPECT_EQ(index_.find(10u), 1u);
  EXPECT_EQ(index_.find(11u), std::nullopt);
  EXPECT_EQ(index_.find(-1), std::nullopt);
  EXPECT_EQ(index_.find(20.0), 2u);
  EXPECT_TRUE(index_.contains(std::uint64_t{30}));
  EXPECT_FALSE(index_.contains(2.5));
  EXPECT_EQ(index_.count(10), 2u);
}

TEST_F(everyday, single_strings) {
  byte_strings names;
  for (char const* name : {"Grace", "Ada", ""}) names.push_back(name);
  index const by_name = index::build("AO+BS", names, {});
  EXPECT_EQ(by_name.find("Ada"), 1u);
  EXPECT_EQ(by_name.find(std::string("Grace")), 0u);
  EXPECT_EQ(by_name.find(std::string_view("")), 2u);
  EXPECT_FALSE(by_name.contains("Grac"));
  EXPECT_EQ(by_name.prefix_count(names), numbers({1, 1, 3}));
}

TEST_F(everyday, moments_of_the_system_clock) {
  using moment = std::chrono::sys_time<std::chrono::microseconds>;
  std::vector<moment> const moments = {moment(std::chrono::hours(30)), moment(std::chrono::hours(-1))};
  index const by_time = index::build("AO+BS", moments, {});
  EXPECT_EQ(by_time.key_type(), key_type::timestamp);
  EXPECT_EQ(by_time.find(moments[1]), 1u);
  EXPECT_EQ(by_time.floor(std::vector<date>{{0}, {2}, {-1}}), row_ids({1, 0, no_row<std::uint32_t>}));
}

TEST_F(everyday, days_and_coarser_moments_of_the_system_clock) {
  using namespace std::chrono;
  std::vector<sys_days> const days = {2024y / February / 29, 1969y / December / 31, 1970y / January / 2};
  EXPECT_EQ(date(days[1]).days, -1);
  EXPECT_EQ(timestamp(sys_time<milliseconds>(1001ms)).microseconds, 1'001'000);
  EXPECT_EQ(timestamp(sys_seconds(-1s)).microseconds, -1'000'000);
  index const by_day = index::build("AO+BS", as_keys(days), {});
  EXPECT_EQ(by_day.key_type(), key_type::date);
  EXPECT_EQ(by_day.find(days[0]), 0u);
  EXPECT_EQ(by_day.find(sys_seconds(days[2])), 2u);
  EXPECT_EQ(by_day.count(sys_seconds(days[2]) + 1s), 0u);
  EXPECT_FALSE(by_day.contains(sys_days(2024y / March / 1)));
  EXPECT_EQ(by_day.floor(as_keys(std::vector{sys_seconds(days[0]) - 1s})), row_ids({2}));
  index const by_time = index::build("AO+BS", as_keys(std::array{sys_seconds(86'400s), sys_seconds(5s)}), {});
  EXPECT_EQ(by_time.key_type(), key_type::timestamp);
  EXPECT_EQ(by_time.find(days[2]), 0u);
  EXPECT_EQ(by_time.find(sys_time<milliseconds>(5000ms)), 1u);
}

TEST_F(everyday, answers_in_vectors) {
  std::vector<std::uint32_t> const probes = {9, 10, 25, 31};
  EXPECT_EQ(index_.contains(probes), std::vector<std::uint8_t>({0, 1, 0, 0}));
  EXPECT_EQ(index_.count(probes), numbers({0, 2, 0, 0}));
  EXPECT_EQ(index_.lower_bound(probes), numbers({0, 0, 3, 4}));
  EXPECT_EQ(index_.upper_bound(probes), numbers({0, 2, 3, 4}));
  std::uint32_t const none = no_row<std::uint32_t>;
  EXPECT_EQ(index_.floor(probes), row_ids({none, 1, 2, 0}));
  EXPECT_EQ(index_.ceil(probes), row_ids({1, 1, 0, none}));
  std::vector<std::uint32_t> const lower = {10, 0}, upper = {20, 5};
  EXPECT_EQ(index_.range_count({lower, upper}), numbers({3, 0}));
  EXPECT_EQ(index_.range_sum({lower, upper}), numbers({1 + 3 + 2, 0}));
  EXPECT_EQ(index_.find(std::vector<std::uint32_t>()), row_ids());
}

TEST_F(everyday, errors_name_the_call) {
  index const unordered = index::build("HT(open)", keys_, {});
  EXPECT_TRUE(throws<unsupported>([&] { unordered.lower_bound(keys_); }, "lower_bound"));
  EXPECT_TRUE(throws<unsupported>([&] { index_.prefix_count(keys_); }, "prefix_count"));
  column const endless(keys_.data(), ~std::uint64_t{0} / 8, key_type::u32);
  EXPECT_TRUE(throws<invalid_argument>([&] { index_.count(endless); }, "count", "2^48"));
}

TEST_F(everyday, matches_by_probe) {
  std::vector<std::uint32_t> const probes = {10, 11, 30};
  matches const found = index_.retrieve(probes, {});
  ASSERT_EQ(found.probes, 3u);
  auto const rows = [&](std::uint64_t probe) {
    auto const of = found.rows_of(probe);
    return row_ids(of.begin(), of.end());
  };
  EXPECT_EQ(rows(0), row_ids({1, 3}));
  EXPECT_EQ(rows(1), row_ids());
  EXPECT_EQ(rows(2), row_ids({0}));
  EXPECT_EQ(found.all_rows().size(), 3u);
  EXPECT_TRUE(throws<invalid_argument>([&] { found.rows_of(3); }, "3 of 3 probes"));
  EXPECT_TRUE(throws<invalid_argument>([&] { found.all_rows<std::uint64_t>(); }, "u32, not u64"));
}

TEST_F(everyday, matches_one_probe_after_the_other) {
  std::vector<std::uint32_t> const probes = {10, 11, 30};
  matches const found = index_.retrieve(probes);
  std::vector<row_ids> all;
  for (auto const [probe, rows] : found.each()) {
    EXPECT_EQ(probe, all.size());
    all.emplace_back(rows.begin(), rows.end());
  }
  EXPECT_EQ(all, std::vector<row_ids>({{1, 3}, {}, {0}}));
  static_assert(std::ranges::input_range<rows_by_probe<std::uint32_t>>);
  matches const none = index_.retrieve(std::vector<std::uint32_t>());
  EXPECT_TRUE(none.each().begin() == none.each().end());
  EXPECT_TRUE(throws<invalid_argument>([&] { found.each<std::uint64_t>(); }, "u32, not u64"));
  EXPECT_EQ(index_.range_retrieve({probes, probes}).total, 3u);
}

TEST_F(everyday, executions_but_for_one_thing) {
  execution const serial = execution().with_threads(1);
  EXPECT_EQ(serial.threads, 1);
  EXPECT_EQ(serial.memory, &host_memory());
  EXPECT_EQ(index_.find(keys_, serial), row_ids({0, 1, 2, 1}));
  EXPECT_EQ(execution().with_memory(host_memory()).with_stream(stream_ref()).threads, 0);
}

}  // namespace
}  // namespace warpdex::test
