// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/arrays.hpp"
#include "support/backends.hpp"
#include "support/damage.hpp"
#include "support/expect.hpp"
#include "support/folder.hpp"
#include "support/seed.hpp"

#include <warpdex/index.hpp>
#include <warpdex/search/hash_bytes.hpp>

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <string>
#include <vector>

/// @file
/// HT(open) over strings: hashes that meet, rows in any order, records in files.
namespace warpdex::test {
namespace {

class byte_table : public testing::TestWithParam<backend_kind> {
 protected:
  test_stream const stream{GetParam()};
  execution const exec{memory_of(GetParam()), stream, 2};
  std::mt19937_64 random{test_seed()};

  std::string word() {
    std::uint64_t const x = random();
    std::string bytes(sizeof(x), '\0');
    std::memcpy(bytes.data(), &x, sizeof(x));
    return bytes;
  }

  std::vector<std::uint32_t> found(index const& in, std::vector<std::string> const& strings) {
    byte_strings const probes(strings);
    std::vector<std::uint32_t> rows(strings.size());
    in.find(probes.view(), std::span(rows), exec);
    return rows;
  }

  std::uint64_t seed_of(index const& of) {
    auto const bytes = of.save();
    auto const file = io::file::parse(bytes);
    std::uint64_t seed = 0;
    std::memcpy(&seed, file.bytes("strings").data(), sizeof(seed));
    return seed;
  }
};

/// Strings of 16 bytes that share their hash under a seed: the second word undoes the difference that the first makes.
std::vector<std::string> meeting_strings(std::uint64_t seed, std::size_t count, std::mt19937_64& random) {
  string_hash const hash(seed);
  auto const big_endian = [](std::uint64_t x) {
    std::string bytes(8, '\0');
    for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(x >> (56 - 8 * i));
    return bytes;
  };
  auto const fold = [](std::uint64_t a, std::uint64_t b) { return a * b ^ multiply_high(a, b); };
  std::vector<std::string> result;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint64_t const word = random();
    result.push_back(big_endian(word) + big_endian(fold(hash.second ^ word, hash.first)));
  }
  return result;
}

TEST_P(byte_table, strings_that_share_a_hash_get_another_seed) {
  auto strings = meeting_strings(0, 500, random);
  byte_strings const keys(strings);
  string_hash const hash(0);
  auto const hash_of = [&](std::string const& s) {
    return hash({reinterpret_cast<unsigned char const*>(s.data()), static_cast<std::uint32_t>(s.size())});
  };
  ASSERT_EQ(hash_of(strings[0]), hash_of(strings[1]));
  index const table = index::build("HT(open)", keys.view(), exec);
  table.verify(exec);
  EXPECT_NE(seed_of(table), 0u);
  EXPECT_EQ(seed_of(index::build("HT(open,seed=5)", keys.view(), exec)), 5u);
  auto const rows = found(table, strings);
  for (std::uint32_t i = 0; i < rows.size(); ++i) ASSERT_EQ(rows[i], i);
  for (auto& s : strings) s[3] = static_cast<char>(s[3] + 1);
  for (std::uint32_t const row : found(table, strings)) ASSERT_EQ(row, no_row<std::uint32_t>);
}

TEST_P(byte_table, a_probe_with_the_hash_of_a_key_is_compared) {
  auto const strings = meeting_strings(0, 100, random);
  byte_strings const single(std::vector<std::string>{strings[0]});
  index const table = index::build("HT(open)", single.view(), exec);
  auto const rows = found(table, strings);
  for (std::uint32_t i = 0; i < rows.size(); ++i) ASSERT_EQ(rows[i], i == 0 ? 0u : no_row<std::uint32_t>);
}

TEST_P(byte_table, rows_of_a_key_ascend_whatever_their_order) {
  std::vector<std::string> const values = {word(), "", word() + word(), "a"};
  std::vector<std::string> strings;
  std::vector<std::uint32_t> rows(5000);
  for (std::uint32_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::uint32_t>(2 * rows.size() - i);
  std::shuffle(rows.begin(), rows.end(), random);
  std::vector<std::vector<std::uint32_t>> expected(values.size());
  for (std::uint32_t const row : rows) {
    auto const value = random() % values.size();
    strings.push_back(values[value]);
    expected[value].push_back(row);
  }
  for (auto& list : expected) std::sort(list.begin(), list.end());
  byte_strings const keys(strings), probes(values);
  index const table = index::build("HT(open)", keys.view(), row_column(rows), exec);
  table.verify(exec);
  matches const got = table.retrieve(probes.view(), exec);
  auto const offsets = read_buffer<std::uint64_t>(got.offsets, values.size() + 1, exec);
  auto const listed = read_buffer<std::uint32_t>(got.rows, got.total, exec);
  for (std::size_t v = 0; v < values.size(); ++v)
    EXPECT_EQ(std::vector<std::uint32_t>(listed.begin() + static_cast<std::ptrdiff_t>(offsets[v]),
                                         listed.begin() + static_cast<std::ptrdiff_t>(offsets[v + 1])),
              expected[v]);
}

TEST_P(byte_table, damaged_records_are_found) {
  std::vector<std::string> strings;
  strings.reserve(300);
  for (int i = 0; i < 300; ++i) strings.push_back(std::to_string(i % 200));
  byte_strings const keys(strings);
  folder const in;
  auto const path = in / "index.wdx";
  index::build("HT(open)", keys.view(), exec).save(path);
  using words = std::vector<std::uint32_t>;
  auto const is_found = [&](std::string const& section, auto const& damage) {
    return damage_is_found<std::uint32_t>(path, section, damage);
  };
  for (std::uint32_t const value : {300u, 0xffffffffu})
    EXPECT_TRUE(is_found("records", [&](words& w) { w[1] = value; })) << value;
  EXPECT_TRUE(is_found("records", [&](words& w) { w[1] += 1; })) << "a row without a key";
  for (std::uint32_t const size : {0u, 17u, 0x7fffffffu, 0xffffffffu})
    EXPECT_TRUE(is_found("records", [&](words& w) { w[0] = size; })) << size;
  EXPECT_TRUE(is_found("records", [&](words& w) { w[2] ^= 1; }));
  EXPECT_TRUE(is_found("records", [&](words& w) { w.resize(w.size() - 4); }));
  EXPECT_TRUE(is_found("records", [&](words& w) { w.resize(w.size() - 1); }));
  EXPECT_TRUE(is_found("list_rows", [&](words& w) { w[w.size() / 2] = 0xffffffffu; }));
  EXPECT_TRUE(is_found("strings", [&](words& w) { w[2] += 1; }));
  EXPECT_TRUE(is_found("strings", [&](words& w) { w[0] += 1; }));
  EXPECT_TRUE(is_found("pairs", [&](words& w) { std::fill(w.begin(), w.end(), 0xffffffu); }));
}

TEST_P(byte_table, the_row_of_a_miss_is_refused) {
  byte_strings const keys(std::vector<std::string>{"a", "b"});
  std::vector<std::uint32_t> const rows = {1, no_row<std::uint32_t>};
  EXPECT_TRUE(throws<invalid_argument>([&] { index::build("HT(open)", keys.view(), row_column(rows), exec); },
                                       "4294967295", "miss"));
}

INSTANTIATE_TEST_SUITE_P(all, byte_table, testing::ValuesIn(present_backends()), backend_name);

}  // namespace
}  // namespace warpdex::test
