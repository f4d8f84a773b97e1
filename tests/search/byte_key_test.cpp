// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <warpdex/search/byte_key.hpp>

#include <algorithm>
#include <cstring>
#include <random>
#include <string>
#include <vector>

/// @file
/// References to byte strings against lists of numbers: the bytes, and what the tail means.
namespace warpdex {
namespace {

using tail = byte_key::tail;

/// A string at an odd address, in memory that ends where it ends, so an address sanitizer sees each access outside of
/// it.
class placed_string {
 public:
  placed_string(std::string const& text, tail behind, std::size_t shift = 0)
      : memory_(shift + text.size()), shift_(shift), text_(text), behind_(behind) {
    if (!text.empty()) std::memcpy(memory_.data() + shift, text.data(), text.size());
  }

  byte_key key() const { return {memory_.data() + shift_, static_cast<std::uint32_t>(text_.size()), behind_}; }

  std::string const& text() const { return text_; }

  /// The bytes, a zero for the tail `zero`, and a number above all bytes for the end of all strings that begin so.
  std::vector<int> numbers() const {
    std::vector<int> result;
    for (char const c : text_) result.push_back(static_cast<unsigned char>(c));
    if (behind_ == tail::zero) result.push_back(0);
    if (behind_ == tail::ones) result.push_back(256);
    return result;
  }

  /// Byte `i`, also after the end.
  std::uint64_t byte(std::size_t i) const {
    if (i < text_.size()) return static_cast<unsigned char>(text_[i]);
    return behind_ == tail::ones ? 0xff : 0;
  }

 private:
  std::vector<unsigned char> memory_;
  std::size_t shift_;
  std::string text_;
  tail behind_;
};

constexpr tail tails[] = {tail::none, tail::zero, tail::ones};

int sign(int value) { return (value > 0) - (value < 0); }

/// Everything that is asked of two strings.
void expect_right(placed_string const& left, placed_string const& right) {
  byte_key const a = left.key();
  byte_key const b = right.key();
  auto const numbers = left.numbers();
  auto const other = right.numbers();
  int const expected = numbers < other ? -1 : numbers == other ? 0 : 1;
  auto const shorter = static_cast<std::uint32_t>(std::min(left.text().size(), right.text().size()));
  std::uint32_t same = 0;
  while (same < shorter && left.text()[same] == right.text()[same]) ++same;

  ASSERT_EQ(a < b, expected < 0);
  ASSERT_EQ(a == b, expected == 0);
  ASSERT_EQ(a != b, expected != 0);
  for (std::uint32_t from = 0; from <= same; ++from) {
    ASSERT_EQ(sign(compare(a, b, from)), expected) << "from byte " << from;
    for (std::uint32_t most = from; most <= shorter; ++most)
      ASSERT_EQ(common_bytes(a, b, from, most), std::min(same, most)) << "from byte " << from << " to " << most;
  }
}

void expect_words(placed_string const& string) {
  for (std::uint32_t at = 0; at <= string.text().size() + 9; ++at) {
    std::uint64_t expected = 0;
    for (std::uint32_t i = 0; i < 8; ++i) expected = expected << 8 | string.byte(at + i);
    ASSERT_EQ(word_at(string.key(), at), expected) << "at byte " << at << " of " << string.text().size();
  }
}

/// All strings of the bytes 00, 01, FE and FF up to a length.
std::vector<std::string> all_strings(std::size_t longest) {
  std::vector<std::string> result = {""};
  for (std::size_t i = 0; i < result.size(); ++i)
    if (result[i].size() < longest)
      for (char const c : {'\x00', '\x01', '\xfe', '\xff'}) result.push_back(std::string(result[i]) + c);
  return result;
}

TEST(byte_key, slow_all_pairs_of_short_strings) {
  std::vector<placed_string> all;
  for (std::string const& text : all_strings(4))
    for (tail const behind : tails) all.emplace_back(text, behind, all.size() % 5);
  ASSERT_EQ(all.size(), 3u * (1 + 4 + 16 + 64 + 256));
  for (auto const& a : all)
    for (auto const& b : all) ASSERT_NO_FATAL_FAILURE(expect_right(a, b));
}

TEST(byte_key, words_of_short_strings) {
  for (std::string const& text : all_strings(4))
    for (tail const behind : tails) ASSERT_NO_FATAL_FAILURE(expect_words({text, behind, text.size() % 3}));
}

/// Pairs that agree in many bytes, at every distance from a multiple of 8.
TEST(byte_key, random_strings_at_odd_addresses) {
  std::mt19937_64 random(20261123);
  auto const any_byte = [&] { return static_cast<char>(random() % 4 == 0 ? random() % 2 * 0xff : random()); };
  for (int round = 0; round < 40000; ++round) {
    std::string a(random() % 41, '\0');
    for (char& c : a) c = any_byte();
    std::string b = a;
    b.resize(random() % 41, any_byte());
    if (!b.empty() && random() % 4 != 0) b[random() % b.size()] ^= static_cast<char>(1 << random() % 8);
    placed_string const left(a, tails[random() % 3], random() % 9);
    placed_string const right(b, tails[random() % 3], random() % 9);
    ASSERT_NO_FATAL_FAILURE(expect_right(left, right)) << "round " << round;
    ASSERT_NO_FATAL_FAILURE(expect_words(left)) << "round " << round;
  }
}

/// An array that has nothing has no address either.
TEST(byte_key, empty_strings_have_no_address) {
  byte_key const empty;
  EXPECT_TRUE(empty == (byte_key{nullptr, 0, tail::none}));
  EXPECT_TRUE(empty < successor_of(empty).key);
  EXPECT_TRUE(successor_of(empty).key < prefix_end(empty));
  EXPECT_EQ(word_at(empty, 0), 0u);
  EXPECT_EQ(word_at(prefix_end(empty), 0), ~std::uint64_t{0});
}

/// The entries above a string are those from its successor on.
TEST(byte_key, nothing_lies_between_a_string_and_its_successor) {
  auto const texts = all_strings(3);
  for (std::string const& text : texts) {
    placed_string const from(text, tail::none);
    auto const next = successor_of(from.key());
    ASSERT_TRUE(next.exists);
    ASSERT_TRUE(from.key() < next.key);
    for (std::string const& other : texts) {
      placed_string const entry(other, tail::none, 1);
      ASSERT_EQ(entry.key() < next.key, other <= text);
    }
  }
}

TEST(byte_key, prefix_end_lies_behind_what_begins_so) {
  auto const texts = all_strings(3);
  for (std::string const& text : texts) {
    placed_string const from(text, tail::none);
    byte_key const end = prefix_end(from.key());
    auto const next = successor_of(end);
    ASSERT_TRUE(next.exists);
    ASSERT_TRUE(next.key == end);
    for (std::string const& other : texts) {
      placed_string const entry(other, tail::none, 1);
      bool const inside = !(entry.key() < from.key()) && entry.key() < next.key;
      ASSERT_EQ(inside, other.compare(0, text.size(), text) == 0);
      ASSERT_FALSE(entry.key() == end);
    }
  }
}

template <class Key> void expect_next_number() {
  auto const largest = static_cast<Key>(-1);
  EXPECT_TRUE(successor_of(Key{7}).exists);
  EXPECT_TRUE(successor_of(Key{7}).key == Key{8});
  EXPECT_TRUE(successor_of(static_cast<Key>(largest - 1)).exists);
  EXPECT_TRUE(successor_of(static_cast<Key>(largest - 1)).key == largest);
  EXPECT_FALSE(successor_of(largest).exists);
}

TEST(byte_key, successors_of_numbers) {
  expect_next_number<std::uint32_t>();
  expect_next_number<std::uint64_t>();
  expect_next_number<u128>();
}

/// References are sorted as the strings to which they refer.
TEST(byte_key, sorts_as_strings) {
  std::mt19937_64 random(5);
  std::vector<std::string> texts;
  for (int i = 0; i < 3000; ++i) {
    std::string text(random() % 30, 'x');
    for (std::size_t c = random() % 30; c < text.size(); ++c) text[c] = static_cast<char>(random());
    texts.push_back(std::move(text));
  }
  std::vector<byte_key> keys;
  for (std::string const& text : texts)
    keys.push_back(
        {reinterpret_cast<unsigned char const*>(text.data()), static_cast<std::uint32_t>(text.size()), tail::none});
  std::sort(keys.begin(), keys.end());
  auto sorted = texts;
  std::sort(sorted.begin(), sorted.end());  // std::string compares unsigned bytes
  for (std::size_t i = 0; i < keys.size(); ++i)
    ASSERT_EQ(std::string(reinterpret_cast<char const*>(keys[i].data), keys[i].size), sorted[i]);
}

}  // namespace
}  // namespace warpdex
