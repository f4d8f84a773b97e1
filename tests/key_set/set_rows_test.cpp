// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/key_set.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/folder.hpp"
#include "support/seed.hpp"
#include "support/stored_sections.hpp"

/// @file
/// Sets that keep a row of each key, against `std::map`.
namespace warpdex::test {
namespace {

using words = std::vector<std::uint64_t>;
using row_map = std::map<std::uint64_t, std::uint64_t>;  ///< the least row of each key

constexpr std::uint64_t none = no_row<std::uint64_t>;

class set_rows : public testing::TestWithParam<backend_kind> {
 protected:
  struct entries {
    words keys, rows;
    row_map least;
  };

  /// @param shape of keys: random, regular, or few
  entries some(std::size_t size, int shape, std::uint64_t most_rows) {
    entries result;
    for (std::size_t i = 0; i < size; ++i) {
      std::uint64_t const any = random_();
      result.keys.push_back(shape == 0 ? any : shape == 1 ? (any % size) * 1000 : any % 17 + (any % 3 << 40));
      result.rows.push_back(random_() % most_rows);
      auto const at = result.least.emplace(result.keys.back(), result.rows.back()).first;
      at->second = std::min(at->second, result.rows.back());
    }
    return result;
  }

  void expect_rows(key_set const& set, row_map const& expected, words probes) {
    ASSERT_EQ(set.size(), expected.size());
    for (auto const& [key, row] : expected) probes.insert(probes.end(), {key, key + 1});
    words const found = set.find(probes, exec_);
    for (std::size_t i = 0; i < probes.size(); ++i) {
      auto const at = expected.find(probes[i]);
      ASSERT_EQ(found[i], at == expected.end() ? none : at->second) << i << ", seed " << test_seed();
    }
  }

  void compare(std::size_t size, int shape, set_code code, std::uint64_t most_rows) {
    SCOPED_TRACE(std::to_string(size) + " keys of shape " + std::to_string(shape) + ", rows below " +
                 std::to_string(most_rows) + ", code " + std::to_string(static_cast<int>(code)));
    entries const a = some(size, shape, most_rows), b = some(size / 2 + 1, shape, most_rows / 3 + 1);
    key_set set(a.keys, a.rows, exec_, code);
    EXPECT_EQ(set.code(), code);
    expect_rows(set, a.least, b.keys);
    key_set const other(b.keys, b.rows, exec_, set_code::plain);
    row_map any = a.least, both, rest;
    for (auto const& [key, row] : b.least) {
      auto const [at, is_new] = any.emplace(key, row);
      at->second = std::min(at->second, row);
      if (!is_new) both[key] = at->second;
    }
    for (auto const& [key, row] : a.least)
      if (b.least.count(key) == 0) rest[key] = row;
    expect_rows(set.merge(other, exec_), any, b.keys);
    expect_rows(set.intersection(other, exec_), both, a.keys);
    expect_rows(set.difference(other, exec_), rest, a.keys);
    EXPECT_EQ(set.insert(b.keys, b.rows, exec_), any.size() - a.least.size());
    expect_rows(set, any, a.keys);
    key_set const loaded = key_set::load(set.save(), exec_);
    EXPECT_EQ(loaded.row_bits(), set.row_bits());
    expect_rows(loaded, any, a.keys);
    set.erase(b.keys, exec_);
    expect_rows(set, rest, a.keys);
  }

  execution const exec_{memory_of(GetParam())};
  std::mt19937_64 random_{test_seed()};
};
INSTANTIATE_TEST_SUITE_P(, set_rows, testing::ValuesIn(present_backends()), backend_name);

TEST_P(set_rows, answer_as_a_map) {
  for (set_code const code : {set_code::plain, set_code::compressed})
    for (std::size_t const size : {0, 1, 63, 64, 65, 256, 257, 3000})
      for (int shape = 0; shape < 3; ++shape)
        for (std::uint64_t const most : {std::uint64_t{1}, std::uint64_t{1} << 24, std::uint64_t{1} << 40, none})
          compare(size, shape, code, most);
}

TEST_P(set_rows, other_types_and_nulls) {
  std::vector<float> const keys = {2.5F, -1, 2.5F, 7};
  std::vector<std::uint32_t> const rows = {9, 3, 8, 5};
  std::uint8_t const valid = 0b0111;
  key_set const set(nullable_column(column(keys), &valid), rows, exec_, set_code::compressed);
  std::vector<double> const probes = {2.5, 7, -1};
  EXPECT_EQ(set.find(probes, exec_), (words{8, none, 3}));
  EXPECT_EQ(set.find(nullable_column(column(probes), &valid, 1), exec_), (words{8, none, none}));
  EXPECT_EQ(set.row_bits(), 4);
  std::vector<u128> const wide = {u128{1} << 80, 4};
  EXPECT_EQ(key_set(wide, words{5, 6}, exec_).find(wide, exec_), (words{5, 6}));
}

TEST_P(set_rows, bytes) {
  entries const a = some(100'000, 0, std::uint64_t{1} << 30);
  key_set const plain(a.keys, exec_, set_code::compressed), set(a.keys, a.rows, exec_, set_code::compressed);
  EXPECT_EQ(set.row_bits(), 30);
  EXPECT_LE(set.bytes() - plain.bytes(), a.keys.size() * 30 / 8 + 300);
}

TEST_P(set_rows, refuse_bad_calls) {
  std::vector<std::uint32_t> const keys = {1, 2}, rows = {3, no_row<std::uint32_t>}, good = {3, 4};
  EXPECT_TRUE(throws<invalid_argument>([&] { key_set(keys, rows, exec_); }, "row id 4294967295"));
  EXPECT_TRUE(throws<invalid_argument>([&] { key_set(keys, words{1}, exec_); }, "the row column", "1 elements"));
  key_set with(keys, good, exec_), without(keys, exec_);
  EXPECT_TRUE(throws<unsupported>([&] { without.find(keys, exec_); }, "find", "keeps no rows"));
  EXPECT_TRUE(throws<unsupported>([&] { without.insert(keys, good, exec_); }, "insert", "keeps no rows"));
  EXPECT_TRUE(throws<unsupported>([&] { with.insert(keys, exec_); }, "insert", "come with rows"));
  EXPECT_TRUE(throws<invalid_argument>([&] { with.merge(without, exec_); }, "merge", "other one has none"));
  EXPECT_EQ(with.intersection(without, exec_).find(keys, exec_), (words{3, 4}));
  EXPECT_EQ(without.merge(with, exec_).row_bits(), 0);
  EXPECT_EQ(with.find(keys, exec_), (words{3, 4}));
}

TEST_P(set_rows, forged_files) {
  folder const place;
  std::vector<std::uint32_t> const keys = {1, 2, 3}, rows = {3, 4, 900};
  key_set const set(keys, rows, exec_);
  set.save(place / "s.wdx");
  EXPECT_EQ(key_set::load(place / "s.wdx", exec_, true).find(keys, exec_), (words{3, 4, 900}));
  for (std::size_t const bytes : {std::size_t{0}, std::size_t{8}, std::size_t{9}, std::size_t{100 * 8}}) {
    stored_sections forged(set.save());
    forged.section("rows").resize(bytes);
    EXPECT_TRUE(throws<format_error>([&] { key_set::load(forged.image(), exec_); }, "section 'rows'"));
  }
}

}  // namespace
}  // namespace warpdex::test
