// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/grouped_index.hpp>
#include <warpdex/sharded.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "support/arrays.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/seed.hpp"

/// @file
/// The greatest row id, and row ids that get 64 bits, on every structure, layout and backend.
namespace warpdex::test {
namespace {

using rows_32 = std::vector<std::uint32_t>;
using rows_64 = std::vector<std::uint64_t>;
constexpr std::uint32_t last_row = no_row<std::uint32_t> - 1;

class row_tests : public testing::TestWithParam<backend_kind> {
 protected:
  test_stream stream_{GetParam()};
  execution exec_{memory_of(GetParam()), stream_};

  /// @return whether there is such an index, with row ids of both widths
  bool builds(std::string const& text, key_type keys) const {
    try {
      for (row_type const rows : {row_type::u32, row_type::u64}) resolve(spec(text), keys, rows, 1000, GetParam());
      return true;
    } catch (spec_error const&) {
      return false;
    }
  }

  rows_64 rows_of(any_index const& of, nullable_column const& probes) const {
    matches const found = of.retrieve(probes, exec_);
    if (of.row_type() == row_type::u64) return read_buffer<std::uint64_t>(found.rows, found.total, exec_);
    auto const narrow = read_buffer<std::uint32_t>(found.rows, found.total, exec_);
    return {narrow.begin(), narrow.end()};
  }

  template <class Keys> void expect_wide(std::string const& spec, Keys const& keys, rows_32 const& rows) const {
    SCOPED_TRACE(testing::Message() << spec << ", " << rows.size() << " entries, " << to_string(column(keys).type));
    index built = index::build(spec, keys, rows, exec_);
    std::uint64_t const most = rows.empty() ? 0 : *std::max_element(rows.begin(), rows.end());
    EXPECT_EQ(built.greatest_row(exec_), most);
    rows_64 const expected = rows_of(built, column(keys));
    built.widen_rows(exec_);
    EXPECT_EQ(built.row_type(), row_type::u64);
    EXPECT_EQ(built.size(), rows.size());
    built.verify(exec_);
    EXPECT_EQ(built.greatest_row(exec_), most);
    EXPECT_EQ(rows_of(built, column(keys)), expected);
    built.widen_rows(exec_);  // changes nothing
    auto const stored = built.save();
    index loaded = index::load(stored, exec_);
    EXPECT_EQ(rows_of(loaded, column(keys)), expected);
    if (rows.empty()) return;
    rows_64 const larger(rows.size(), std::uint64_t{1} << 40);
    built.insert(keys, larger, exec_);
    EXPECT_EQ(built.greatest_row(exec_), larger[0]);
    built.erase(keys, exec_);
    EXPECT_EQ(built.size(), 0u);
    EXPECT_EQ(built.greatest_row(exec_), 0u);
  }

  /// @return row ids below a limit, and the limit
  rows_32 some_rows(std::size_t size, std::uint32_t limit) {
    rows_32 rows(size);
    for (auto& row : rows) row = static_cast<std::uint32_t>(random_() % limit);
    if (size != 0) rows[size / 3] = limit;
    return rows;
  }

  template <class Key> void expect_numbers(std::string const& spec, std::size_t size, std::uint32_t limit) {
    std::vector<Key> keys(size);
    for (auto& key : keys) key = static_cast<Key>(random_() % (size / 2 + 1) * 3);
    expect_wide(spec, keys, some_rows(size, limit));
  }

  std::mt19937_64 random_{test_seed()};
};
INSTANTIATE_TEST_SUITE_P(, row_tests, testing::ValuesIn(present_backends()), backend_name);

TEST_P(row_tests, of_all_structures_and_layouts) {
  for (std::string const& sample : all_samples())
    for (char const* const layout : {"", "/layout=AoS", "/layout=packed"}) {
      std::string const spec = sample + layout;
      if (sample.find("layout=") != sample.npos && *layout != '\0') continue;
      for (std::size_t const size : {0, 1, 600})
        for (std::uint32_t const limit : {7u, last_row}) {
          if (builds(spec, key_type::u32)) expect_numbers<std::uint32_t>(spec, size, limit);
          if (builds(spec, key_type::u64)) expect_numbers<std::uint64_t>(spec, size, limit);
          if (builds(spec, key_type::u128)) expect_numbers<u128>(spec, size, limit);
        }
    }
}

TEST_P(row_tests, of_strings) {
  for (std::string const& sample : all_samples()) {
    if (!builds(sample, key_type::bytes)) continue;
    for (unsigned const repeats : {1u, 3u}) {
      std::vector<std::string> words;
      for (unsigned i = 0; i < 300; ++i) words.push_back(std::string(i % 40, 'x') + std::to_string(i / repeats));
      for (std::uint32_t const limit : {7u, last_row})
        expect_wide(sample, byte_strings(words).view(), some_rows(words.size(), limit));
    }
  }
}

TEST_P(row_tests, of_64_bits_and_of_borrowed_keys) {
  std::vector<std::uint32_t> const keys = {1, 2, 2, 5};
  rows_64 const rows = {7, ~std::uint64_t{0} - 1, 3, 0};
  for (char const* const spec : {"AO+BS", "EO+BS", "HT(open)/layout=packed", "HT(open)", "HT(buckets)"})
    EXPECT_EQ(index::build(spec, keys, rows, exec_).greatest_row(exec_), rows[1]) << spec;
  bool const on_host = GetParam() == backend_kind::cpu;
  input_array<std::uint32_t> const copied(keys, on_host ? place::host : place::device, 0, exec_);
  index borrowed = index::over_sorted("AO+BS", column(copied.data(), copied.size(), key_type::u32), exec_);
  EXPECT_EQ(borrowed.greatest_row(exec_), 3u);
  EXPECT_TRUE(throws<unsupported>([&] { borrowed.widen_rows(exec_); }, "widen_rows", "over_sorted"));
  EXPECT_EQ(borrowed.row_type(), row_type::u32);
  index const moved = std::move(borrowed);
  EXPECT_TRUE(throws<invalid_argument>([&] { borrowed.greatest_row(exec_); }, "moved from"));
  EXPECT_TRUE(throws<invalid_argument>([&] { borrowed.widen_rows(exec_); }, "moved from"));
}

TEST_P(row_tests, within_groups) {
  std::vector<std::uint32_t> const groups = {1, 1, 2}, keys = {10, 20, 10};
  grouped_index built = grouped_index::build("AO+BS", groups, keys, exec_);
  rows_32 const large = {last_row};
  std::vector<std::uint32_t> const group = {2}, key = {20};
  built.insert(group, key, large, exec_);
  auto loaded = grouped_index::load(built.save(), exec_);  // whose spec names the width of its row ids
  EXPECT_EQ(loaded.entries().greatest_row(exec_), last_row);
  loaded.widen_rows(exec_);
  EXPECT_EQ(loaded.row_type(), row_type::u64);
  rows_64 found(3);
  loaded.find(std::vector<std::uint32_t>{1, 2, 2}, std::vector<std::uint32_t>{20, 20, 30}, found, exec_);
  EXPECT_EQ(found, (rows_64{1, last_row, no_row<std::uint64_t>}));
  rows_64 const larger = {std::uint64_t{1} << 40};
  loaded.insert(std::vector<std::uint32_t>{900}, std::vector<std::uint32_t>{~0u}, larger, exec_);  // made again
  EXPECT_EQ(loaded.entries().greatest_row(exec_), larger[0]);
}

TEST_P(row_tests, of_shards) {
  if (GetParam() != backend_kind::cpu) GTEST_SKIP() << "shards of the host";
  std::vector<std::uint32_t> keys(500);
  for (std::uint32_t i = 0; i < keys.size(); ++i) keys[i] = i / 2;
  rows_32 const rows = some_rows(keys.size(), last_row);
  std::vector<shard_place> const places(3, shard_place{execution()});
  for (placement const how : {placement::range, placement::replicate}) {
    sharded_index built = sharded_index::build("AO+BS", keys, rows, how, places);
    EXPECT_EQ(built.greatest_row(), last_row);
    rows_64 const expected = rows_of(built, keys);
    built.widen_rows();
    EXPECT_EQ(built.row_type(), row_type::u64);
    built.verify();
    EXPECT_EQ(rows_of(built, keys), expected);
    built.insert(std::vector<std::uint32_t>{3}, rows_64{std::uint64_t{1} << 40}, {});
    EXPECT_EQ(built.greatest_row(), std::uint64_t{1} << 40);
  }
}

}  // namespace
}  // namespace warpdex::test
