// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/prefix_borders.hpp>

#include "support/backends.hpp"
#include "support/expect.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace warpdex::test {
namespace {

template <class Key> struct prefix_table {
  std::vector<Key> addresses;
  std::vector<std::uint8_t> bits;
  std::vector<std::uint32_t> rows;

  void add(Key address, int length, std::uint32_t row) {
    addresses.push_back(prefix_range(address, length).lower);
    bits.push_back(static_cast<std::uint8_t>(length));
    rows.push_back(row);
  }

  border_list<Key, std::uint32_t> borders() const {
    return prefix_borders<Key, std::uint32_t>(addresses, bits, rows, none);
  }

  /// The row of the longest prefix, by a loop over all.
  std::uint32_t row_of(Key number) const {
    int longest = -1;
    std::uint32_t row = none;
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (bits[i] > longest && prefix_range(number, bits[i]).lower == addresses[i]) {
        longest = bits[i];
        row = rows[i];
      }
    return row;
  }

  static constexpr std::uint32_t none = 1000000;
};

template <class Key> class prefixes_of : public testing::Test {};
using key_types_of_prefixes = testing::Types<std::uint32_t, std::uint64_t, u128>;
TYPED_TEST_SUITE(prefixes_of, key_types_of_prefixes);

/// Nested prefixes around a few numbers, with the widest and the narrowest among them.
TYPED_TEST(prefixes_of, random_tables) {
  using Key = TypeParam;
  constexpr int width = 8 * sizeof(Key);
  std::mt19937_64 random(9);
  auto const any = [&] {
    Key number = 0;
    for (int word = 0; word < 4; ++word) number = static_cast<Key>((number << 31) ^ Key(random()));
    return random() % 8 == 0 ? static_cast<Key>(random() % 2 == 0 ? 0 : -1) : number;
  };
  for (int round = 0; round < 100; ++round) {
    std::vector<Key> centres;
    for (int c = 0; c < 1 + round % 5; ++c) centres.push_back(any());
    prefix_table<Key> table;
    std::set<std::pair<Key, int>> seen;
    for (int p = 0; p < round; ++p) {
      int const length = static_cast<int>(random() % (width + 1));
      Key const address =
          static_cast<Key>(centres[random() % centres.size()] ^ (Key{1} << random() % width) * (random() % 2));
      if (seen.emplace(prefix_range(address, length).lower, length).second)
        table.add(address, length, static_cast<std::uint32_t>(random() % 10));
    }
    auto const borders = table.borders();
    ASSERT_EQ(borders.keys.size(), borders.rows.size());
    ASSERT_LE(borders.keys.size(), 2 * table.rows.size() + 1);
    ASSERT_EQ(borders.keys.front(), Key{0});
    std::vector<Key> probes;
    for (Key const centre : centres)
      for (int bit = 0; bit < width; ++bit) probes.push_back(static_cast<Key>(centre ^ (Key{1} << bit)));
    for (std::size_t b = 0; b < borders.keys.size(); ++b) {
      if (b != 0) {
        ASSERT_LT(borders.keys[b - 1], borders.keys[b]);
        ASSERT_NE(borders.rows[b - 1], borders.rows[b]);
      }
      for (int const step : {-1, 0, 1}) probes.push_back(static_cast<Key>(borders.keys[b] + static_cast<Key>(step)));
    }
    std::vector<std::uint32_t> found(probes.size());
    execution const exec(host_memory());
    index::build("AO+BS", std::span(borders.keys), std::span(borders.rows), exec)
        .floor(std::span(probes), {}, std::span(found), exec);
    for (std::size_t i = 0; i < probes.size(); ++i) ASSERT_EQ(found[i], table.row_of(probes[i])) << round << ", " << i;
  }
}

TEST(prefix_borders, networks_in_networks) {
  prefix_table<std::uint32_t> table;
  EXPECT_EQ(table.borders().keys, std::vector<std::uint32_t>{0});
  EXPECT_EQ(table.borders().rows, std::vector<std::uint32_t>{table.none});
  table.add(0x0a000000, 8, 1);
  table.add(0x0a800000, 9, 2);
  table.add(0xffffff00, 24, 3);
  auto const borders = table.borders();
  EXPECT_EQ(borders.keys, (std::vector<std::uint32_t>{0, 0x0a000000, 0x0a800000, 0x0b000000, 0xffffff00}));
  EXPECT_EQ(borders.rows, (std::vector<std::uint32_t>{table.none, 1, 2, table.none, 3}));
}

TEST(prefix_borders, bad_prefixes) {
  auto const refused = [](prefix_table<std::uint32_t> const& table, auto const&... words) {
    EXPECT_TRUE(throws<invalid_argument>([&] { table.borders(); }, "prefix_borders", words...));
  };
  refused({{1, 3}, {32, 31}, {0, 0}}, "prefix 1", "31 bits");
  refused({{1, 1}, {32, 33}, {0, 0}}, "prefix 1", "33 bits", "32");
  refused({{0, 8, 0}, {0, 29, 0}, {0, 1, 2}}, "prefix 2", "prefix 0");
  refused({{0, 8}, {0}, {0, 1}}, "2 addresses", "1 numbers");
  refused({{0, 8}, {0, 29}, {0}}, "1 rows");
}

}  // namespace
}  // namespace warpdex::test
