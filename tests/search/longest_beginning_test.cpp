// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/search/sorted_bytes.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>
#include <string>
#include <vector>

#include "support/seed.hpp"

/// @file
/// The longest key that begins a string: against a loop, and how many keys it reads.
namespace warpdex::test {
namespace {

byte_key key_of(std::string const& text) {
  return {reinterpret_cast<unsigned char const*>(text.data()), static_cast<std::uint32_t>(text.size())};
}

/// Keys in order, which count how often they are read.
struct counted_keys {
  std::vector<std::string> keys;
  mutable std::uint64_t reads = 0;

  explicit counted_keys(std::vector<std::string> of) : keys(std::move(of)) { std::sort(keys.begin(), keys.end()); }

  byte_key key(std::uint64_t rank) const {
    ++reads;
    return key_of(keys.at(rank));
  }
  std::uint32_t ask(std::string const& text) const {
    reads = 0;
    auto const not_above = std::upper_bound(keys.begin(), keys.end(), text) - keys.begin();
    return longest_beginning(*this, static_cast<std::uint64_t>(not_above), key_of(text));
  }
  std::size_t expected(std::string const& text) const {
    std::size_t longest = 0;
    for (std::string const& key : keys)
      if (text.starts_with(key)) longest = std::max(longest, key.size());
    return longest;
  }
};

std::string random_text(std::size_t longest, std::mt19937_64& random) {
  std::string text(random() % (longest + 1), '\0');
  for (char& c : text) c = "\0a\xff"[random() % 3];
  return text;
}

TEST(longest_beginning, equals_a_loop) {
  std::mt19937_64 random(test_seed());
  for (int round = 0; round < 300; ++round) {
    std::size_t const longest = 1 + random() % 12;
    std::vector<std::string> texts(random() % 200);
    for (auto& text : texts) text = random_text(longest, random);
    counted_keys const keys(texts);
    for (int probe = 0; probe < 100; ++probe) {
      std::string const text = random_text(longest + 3, random);
      ASSERT_EQ(keys.ask(text), keys.expected(text)) << testing::PrintToString(text) << ", seed " << test_seed();
    }
  }
}

/// Keys that share ever fewer bytes with a string, the lower they are, and do not begin it. So each of its beginnings
/// has to be ruled out.
TEST(longest_beginning, reads_few_keys_whatever_they_are) {
  constexpr std::size_t length = 3000;
  std::vector<std::string> comb, nested;
  for (std::size_t size = 0; size < length; ++size) comb.push_back(std::string(size, 'x') + "a");
  for (std::size_t size = 1; size < length; ++size) nested.emplace_back(size, 'x');
  std::string const probe(length, 'x');
  counted_keys const teeth(comb);
  EXPECT_EQ(teeth.ask(probe), 0u);
  EXPECT_LT(teeth.reads, 5 * length);
  std::vector<std::string> both = comb;
  both.insert(both.end(), nested.begin(), nested.begin() + 10);
  counted_keys const low(both);
  EXPECT_EQ(low.ask(probe), 10u);
  EXPECT_LT(low.reads, 5 * length);

  // Many keys after each beginning: the logarithm of their number comes in.
  std::vector<std::string> brush;
  for (std::size_t size = 0; size < 100; ++size)
    for (char c = 'a'; c < 'x'; ++c)
      for (char d = 'a'; d < 'x'; ++d) brush.push_back(std::string(size, 'x') + c + d);
  counted_keys const bristles(brush);
  EXPECT_EQ(bristles.ask(probe), 0u);
  EXPECT_LT(bristles.reads, 100u * 3 * std::bit_width(23u * 23u));

  // A key that begins the string is found at once if it is the last one not above it.
  counted_keys const chain(nested);
  EXPECT_EQ(chain.ask(probe), length - 1);
  EXPECT_LT(chain.reads, 8u);
}

}  // namespace
}  // namespace warpdex::test
