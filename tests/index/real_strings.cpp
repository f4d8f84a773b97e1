// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/arrays.hpp"
#include "support/backends.hpp"
#include "support/oracle.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <random>

/// @file
/// Strings of real life, from files of Debian packages: `make test-data` unpacks them. Without them the tests are
/// skipped.
namespace warpdex::test {
namespace {

/// The lines of a file of a package, installed or unpacked.
std::optional<std::vector<std::string>> lines_of(std::string const& path) {
  for (std::string const root : {WARPDEX_TEST_DATA "/", "/"}) {
    std::ifstream file(root + path);
    if (!file) continue;
    std::vector<std::string> lines;
    for (std::string line; std::getline(file, line);) {
      if (line.ends_with('\r')) line.pop_back();
      lines.push_back(line);
    }
    return lines;
  }
  return std::nullopt;
}

/// The words of the package that Debian 12 has. Others have other counts, and are tested all the same.
constexpr std::size_t words_of_debian_12 = 663473;
constexpr std::uint64_t words_that_begin_the_next = 207460;

class real_strings : public testing::TestWithParam<std::tuple<std::string, backend_kind>> {
 protected:
  /// Asks for each string and for its beginnings, and compares with a sorted vector.
  /// @return how many strings begin another one
  std::uint64_t expect_right(std::vector<std::string> const& texts) {
    oracle<std::string> const sorted(texts, {});
    byte_strings const keys(texts);
    index const i = index::build(structure_, keys, exec_);
    i.verify(exec_);
    std::vector<std::uint32_t> rows(texts.size());
    std::vector<std::uint64_t> counts(texts.size());
    std::vector<std::uint64_t> prefixes(texts.size());
    std::uint64_t begin_others = 0;
    std::vector<std::uint64_t> short_prefixes(texts.size());
    i.find(keys, std::span(rows), exec_);
    i.count(keys, std::span(counts), exec_);
    i.prefix_count(keys, std::span(prefixes), exec_);
    byte_strings beginnings;
    for (std::string const& text : texts) beginnings.push_back(text.substr(0, 3));
    i.prefix_count(beginnings, std::span(short_prefixes), exec_);
    for (std::size_t t = 0; t < texts.size(); ++t) {
      std::uint64_t const first = sorted.lower_bound(texts[t]);
      std::string const beginning = texts[t].substr(0, 3);
      bool const is_right = rows[t] == sorted.entries()[first].row &&
                            counts[t] == sorted.upper_bound(texts[t]) - first &&
                            prefixes[t] == sorted.end_of_prefix(texts[t]) - first &&
                            short_prefixes[t] == sorted.end_of_prefix(beginning) - sorted.lower_bound(beginning);
      if (!is_right) ADD_FAILURE() << texts[t] << ": wrong row, count, or count of a prefix";
      begin_others += prefixes[t] > counts[t] ? 1 : 0;
    }
    EXPECT_GT(begin_others, 0u);
    std::vector<std::uint64_t> ranks(texts.size());
    for (std::size_t r = 0; r < ranks.size(); ++r) ranks[r] = r;
    key_list const all = i.keys_at(ranks, exec_);
    auto const offsets = read_buffer<std::uint64_t>(all.offsets, all.size + 1, exec_);
    auto const bytes = read_buffer<char>(all.keys, all.bytes, exec_);
    for (std::size_t r = 0; r < ranks.size(); ++r)
      EXPECT_EQ(std::string_view(bytes.data() + offsets[r], offsets[r + 1] - offsets[r]), sorted.entries()[r].key);
    return begin_others;
  }

  std::string const structure_ = std::get<0>(GetParam());
  backend_kind const backend_ = std::get<1>(GetParam());
  test_stream stream_{backend_};
  execution exec_{memory_of(backend_), stream_, 2};
};

TEST_P(real_strings, words) {
  auto const words = lines_of("usr/share/dict/american-english-insane");
  if (!words) GTEST_SKIP() << "the package wamerican-insane is missing; `make test-data` unpacks it";
  ASSERT_GT(words->size(), 600000u);
  std::uint64_t const begin_the_next = expect_right(*words);
  EXPECT_TRUE(words->size() != words_of_debian_12 || begin_the_next == words_that_begin_the_next) << begin_the_next;
}

TEST_P(real_strings, organisations) {
  auto const lines = lines_of("usr/share/ieee-data/oui.txt");
  if (!lines) GTEST_SKIP() << "the package ieee-data is missing; `make test-data` unpacks it";
  std::vector<std::string> names;
  for (std::string const& line : *lines)
    if (auto const at = line.find("(hex)"); at != std::string::npos)
      names.push_back(line.substr(std::min(line.size(), line.find_first_not_of("\t ", at + 5))));
  ASSERT_GT(names.size(), 10000u);
  expect_right(names);
}

/// Begins of ranges of IPv6 addresses, as numbers and as strings of 16 bytes. How many there are changes with every
/// release of the package: 276,626 in 0.4.9.11.
TEST_P(real_strings, addresses_as_numbers_and_as_strings) {
  auto const lines = lines_of("usr/share/tor/geoip6");
  if (!lines) GTEST_SKIP() << "the package tor-geoipdb is missing; `make test-data` unpacks it";
  std::vector<u128> numbers;
  std::vector<std::byte> bytes;
  auto const add = [&](u128 address) {
    numbers.push_back(address);
    for (int shift = 120; shift >= 0; shift -= 8) bytes.push_back(static_cast<std::byte>(address >> shift));
  };
  for (std::string const& line : *lines) {
    if (line.starts_with('#')) continue;
    in6_addr address;
    ASSERT_EQ(::inet_pton(AF_INET6, line.substr(0, line.find(',')).c_str(), &address), 1) << line;
    u128 number = 0;
    for (unsigned char const byte : address.s6_addr) number = number << 8 | byte;
    add(number);
  }
  std::size_t const n = numbers.size();
  ASSERT_GT(n, 100000u);
  index const by_number = index::build(structure_, std::span(numbers), exec_);
  index const by_bytes = index::build(structure_, column::fixed_bytes(std::span(bytes), 16, n), exec_);
  std::vector<std::uint32_t> own_rows(n);
  by_bytes.find(column::fixed_bytes(std::span(bytes), 16, n), std::span(own_rows), exec_);
  for (std::size_t i = 0; i < n; ++i)
    if (own_rows[i] != i) ADD_FAILURE() << "range " << i << ": row " << own_rows[i] << ", not " << i;

  std::mt19937_64 random(6);
  auto const begins = numbers;
  numbers.clear();
  bytes.clear();
  for (int i = 0; i < 200000; ++i) {
    u128 const any = begins[random() % n];
    add(i % 3 == 0 ? any : i % 3 == 1 ? any + (u128{random()} << random() % 64) : u128{random()} << 64 | random());
  }
  column const as_numbers = std::span(numbers);
  column const as_strings = column::fixed_bytes(std::span(bytes), 16, numbers.size());
  auto const expect_equal = [&](char const* what, auto const& ask) {
    std::vector<std::uint32_t> first(numbers.size(), 1);
    std::vector<std::uint32_t> second(numbers.size(), 2);
    ask(by_number, as_numbers, row_output(std::span(first)));
    ask(by_bytes, as_strings, row_output(std::span(second)));
    EXPECT_TRUE(first == second) << what;
  };
  expect_equal("find", [&](index const& i, column c, row_output out) { i.find(c, out, exec_); });
  expect_equal("floor", [&](index const& i, column c, row_output out) { i.floor(c, {}, out, exec_); });
  expect_equal("ceil", [&](index const& i, column c, row_output out) { i.ceil(c, {}, out, exec_); });

  // Networks of 32 bits: a range of numbers, a prefix of strings.
  std::vector<u128> lower;
  std::vector<u128> upper;
  byte_strings prefixes;
  for (u128 const number : numbers) {
    auto const network = prefix_range(number, 32);
    lower.push_back(network.lower);
    upper.push_back(network.upper);
    std::string prefix;
    for (int shift = 120; shift > 88; shift -= 8) prefix += static_cast<char>(number >> shift);
    prefixes.push_back(prefix);
  }
  std::vector<std::uint64_t> in_ranges(numbers.size(), 1);
  std::vector<std::uint64_t> with_prefixes(numbers.size(), 2);
  by_number.range_count({std::span(lower), std::span(upper)}, std::span(in_ranges), exec_);
  by_bytes.prefix_count(prefixes, std::span(with_prefixes), exec_);
  EXPECT_TRUE(in_ranges == with_prefixes);
}

INSTANTIATE_TEST_SUITE_P(all, real_strings,
                         testing::Combine(testing::Values("AO+BS", "GRT"), testing::ValuesIn(present_backends())),
                         sample_and_backend_name);

}  // namespace
}  // namespace warpdex::test
