// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/index.hpp>
#include <warpdex/key_set.hpp>
#include <warpdex/search/codec.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "support/arrays.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/folder.hpp"
#include "support/seed.hpp"
#include "support/stored_sections.hpp"

/// @file
/// Sets of keys in both codes, against `std::set` of the numbers that represent the keys.
namespace warpdex::test {
namespace {

constexpr set_code codes[] = {set_code::plain, set_code::compressed};

template <class Key> using model_set = std::set<code_of<Key>>;

template <class Key> model_set<Key> model_of(std::vector<Key> const& keys) {
  model_set<Key> model;
  for (Key const key : keys) model.insert(encode(key));
  return model;
}

class key_sets : public testing::TestWithParam<backend_kind> {
 protected:
  /// Keys of several shapes: random, clustered, regular, and at both ends of the type.
  template <class Key> std::vector<Key> keys(std::size_t size, int shape) {
    using bits = code_of<Key>;
    std::vector<Key> result(size);
    auto const any = [&] { return static_cast<bits>(u128{random_()} << 64 | random_()); };
    bits const start = any();
    for (std::size_t i = 0; i < size; ++i) {
      bits number = any();
      if (shape == 1) number = static_cast<bits>(start + (number % 7 << 24) + number / 7 % 400);
      if (shape == 2) number = static_cast<bits>(start / 2 + i * 1000);
      if (shape == 3) number = static_cast<bits>(start / 2 + i + (i > size / 2 ? 1 : 0));
      if (shape == 4) number = i % 2 == 0 ? static_cast<bits>(i / 2) : static_cast<bits>(~bits{0} - i / 2);
      if (shape == 5) number = start;
      result[i] = __builtin_bit_cast(Key, number);
    }
    return result;
  }
  static constexpr int shapes = 6;

  template <class Key> void expect_same(key_set const& set, model_set<Key> const& model, std::vector<Key> probes) {
    ASSERT_EQ(set.size(), model.size());
    key_list const held = set.keys(exec_);
    auto const in_order = read_buffer<Key>(held.keys, held.size, exec_);
    auto at = model.begin();
    for (Key const key : in_order) ASSERT_TRUE(encode(key) == *at++);
    for (std::size_t i = 0; i < in_order.size(); i += 1 + in_order.size() / 500) {
      auto const next = static_cast<code_of<Key>>(encode(in_order[i]) + (i % 2 == 0 ? 1 : -1));
      probes.push_back(in_order[i]);
      probes.push_back(__builtin_bit_cast(Key, decode(codec_of(detail::key_type_of<Key>()), next)));
    }
    auto const found = set.contains(probes, exec_);
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < probes.size(); ++i) {
      ASSERT_EQ(found[i], model.count(encode(probes[i]))) << "probe " << i << ", seed " << test_seed();
      all += found[i];
    }
    EXPECT_EQ(set.count(probes, exec_), all);
  }

  template <class Key> void compare(std::size_t size, int shape, set_code code) {
    SCOPED_TRACE("size " + std::to_string(size) + ", shape " + std::to_string(shape) + ", code " +
                 std::to_string(static_cast<int>(code)));
    auto a = keys<Key>(size, shape);
    std::shuffle(a.begin(), a.end(), random_);
    auto b = keys<Key>(size / 2 + 1, shape == 5 ? 0 : shape);
    b.insert(b.end(), a.begin(), a.begin() + static_cast<std::ptrdiff_t>(size / 3));
    auto const left = model_of(a), right = model_of(b);
    key_set set(a, exec_, code);
    EXPECT_EQ(set.code(), code);
    EXPECT_EQ(set.key_type(), detail::key_type_of<Key>());
    expect_same(set, left, b);
    key_set const other(b, exec_, size % 2 == 0 ? set_code::plain : set_code::compressed);
    model_set<Key> any = left, both, rest;
    any.insert(right.begin(), right.end());
    for (auto const key : left) (right.count(key) != 0 ? both : rest).insert(key);
    expect_same(set.merge(other, exec_), any, a);
    expect_same(set.intersection(other, exec_), both, b);
    expect_same(set.difference(other, exec_), rest, a);
    EXPECT_EQ(set.insert(b, exec_), any.size() - left.size());
    expect_same(set, any, b);
    EXPECT_EQ(set.erase(b, exec_), right.size());
    expect_same(set, rest, a);
    EXPECT_EQ(set.code(), code);
  }

  template <class Key> void compare_all() {
    for (set_code const code : codes) {
      for (std::size_t const size : {0, 1, 2, 15, 16, 17, 255, 256, 257, 511, 512, 513, 4097})
        for (int shape = 0; shape < shapes; ++shape) compare<Key>(size, shape, code);
    }
  }

  execution const exec_{memory_of(GetParam())};
  std::mt19937_64 random_{test_seed()};
};
INSTANTIATE_TEST_SUITE_P(, key_sets, testing::ValuesIn(present_backends()), backend_name);

TEST_P(key_sets, of_u32) { compare_all<std::uint32_t>(); }
TEST_P(key_sets, of_u64) { compare_all<std::uint64_t>(); }
TEST_P(key_sets, of_i32) { compare<std::int32_t>(3000, 0, set_code::compressed); }
TEST_P(key_sets, of_i64) { compare<std::int64_t>(3000, 1, set_code::compressed); }
TEST_P(key_sets, of_u128) { compare_all<u128>(); }
TEST_P(key_sets, of_floats) {
  for (set_code const code : codes) {
    compare<float>(3000, 0, code);
    compare<double>(3000, 1, code);
    double const nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    std::vector<double> const odd = {nan, -0.0, infinity, -nan, 0.0, -infinity, 1};
    key_set const set(odd, exec_, code);
    EXPECT_EQ(set.size(), 5u);
    EXPECT_EQ(set.count(odd, exec_), odd.size());
    auto const held = read_buffer<double>(set.keys(exec_).keys, 5, exec_);
    EXPECT_EQ(held.front(), -infinity);
    EXPECT_TRUE(held.back() != held.back());
  }
}

TEST_P(key_sets, probes_of_other_types_and_nulls) {
  for (set_code const code : codes) {
    std::vector<std::uint32_t> keys = {7, 0, 4294967295, 8, 7, 9};
    std::uint8_t const valid = 0b110111;
    key_set const set(nullable_column(column(keys), &valid), exec_, code);
    EXPECT_EQ(set.size(), 4u);  // without 8
    std::vector<double> const reals = {7, 7.5, -1, 4294967295., 4294967296., 8, 0};
    EXPECT_EQ(set.contains(reals, exec_), (std::vector<std::uint8_t>{1, 0, 0, 1, 0, 0, 1}));
    std::vector<u128> const wide = {7, u128{7} << 64, 9};
    EXPECT_EQ(set.contains(wide, exec_), (std::vector<std::uint8_t>{1, 0, 1}));
    std::uint8_t const first = 0b001;
    EXPECT_EQ(set.contains(nullable_column(column(wide), &first), exec_), (std::vector<std::uint8_t>{1, 0, 0}));
    std::vector<date> const days = {1};
    EXPECT_TRUE(throws<invalid_argument>([&] { set.contains(days, exec_); }, "contains", "date", "u32"));
  }
}

TEST_P(key_sets, code_that_suits_the_size) {
  EXPECT_EQ(key_set(keys<std::uint64_t>(1000, 0), exec_).code(), set_code::plain);
  key_set const set(keys<std::uint64_t>(70000, 0), exec_);
  EXPECT_EQ(set.code(), set_code::compressed);
  EXPECT_LT(set.bytes(), 70000 * 7);
  EXPECT_LT(key_set(keys<std::uint64_t>(70000, 2), exec_).bytes(), 70000);  // regular ones
  EXPECT_EQ(set.difference(set, exec_).code(), set_code::plain);
}

TEST_P(key_sets, refuse_bad_calls) {
  byte_strings const strings(std::vector<std::string>{"a", "b"});
  EXPECT_TRUE(throws<unsupported>([&] { key_set(strings.view(), exec_); }, "key_set", "bytes"));
  std::vector<std::uint32_t> const narrow = {1, 2};
  std::vector<std::uint64_t> const wide = {1, 2};
  EXPECT_TRUE(throws<invalid_argument>([&] { key_set(narrow, exec_, static_cast<set_code>(9)); }, "code number 9"));
  key_set set(narrow, exec_), other(wide, exec_);
  EXPECT_TRUE(throws<invalid_argument>([&] { set.merge(other, exec_); }, "merge", "u32", "u64"));
  EXPECT_TRUE(throws<invalid_argument>([&] { set.insert(wide, exec_); }, "insert", "u64", "u32"));
  std::vector<std::uint8_t> flags(3);
  std::span const found(reinterpret_cast<bool*>(flags.data()), flags.size());
  EXPECT_TRUE(throws<invalid_argument>([&] { set.contains(narrow, found, exec_); }, "contains", "3 elements"));
  EXPECT_EQ(set.size(), 2u);
  key_set const taken = std::move(set);
  EXPECT_TRUE(throws<invalid_argument>([&] { set.contains(narrow, exec_); }, "contains", "moved from"));
  EXPECT_EQ(taken.count(narrow, exec_), 2u);
}

TEST_P(key_sets, come_back_from_files) {
  folder const place;
  auto const check_type = [&]<class Key>(Key) {
    for (std::size_t const size : {0, 1, 600})
      for (set_code const code : codes) {
        auto const held = keys<Key>(size, 0), others = keys<Key>(size, 0);
        key_set const set(held, exec_, code);
        auto const bytes = save(set, "a note");
        save(set, place / "s.wdx", "a note");
        auto const owned = std::make_shared<std::vector<std::byte>>(bytes);
        std::vector<key_set> loaded;
        loaded.push_back(key_set::load(bytes, exec_));
        loaded.push_back(key_set::load(place / "s.wdx", exec_));
        loaded.push_back(key_set::load(place / "s.wdx", exec_, true));
        loaded.push_back(key_set::load(place / "s.wdx", exec_, true, check::none));
        loaded.push_back(key_set::load(*owned, owned, exec_));
        for (key_set& one : loaded) {
          expect_same(one, model_of(held), others);
          EXPECT_EQ(save(one, one.note()), bytes);
          one.insert(others, exec_);
          EXPECT_EQ(one.count(others, exec_), size);
        }
      }
  };
  check_type(std::uint32_t{});
  check_type(double{});
  check_type(u128{});
}

TEST_P(key_sets, forged_files) {
  for (set_code const code : codes) {
    std::vector<double> const keys = {1, 2, 3, 5, 8, 13, 21, 1e300};
    auto const bytes = key_set(keys, exec_, code).save();
    auto const refused = [&](auto const& change, auto const&... words) {
      stored_sections forged(bytes);
      change(forged);
      auto const image = forged.image();
      for (check const checks : {check::all, check::structure})
        EXPECT_TRUE(throws<format_error>([&] { key_set::load(image, exec_, checks); }, words...));
    };
    refused([](stored_sections& file) { file.head.size = 3000; }, "section 'keys'");
    refused([](stored_sections& file) { file.head.keys = key_type::bytes; }, "no known code");
    refused([](stored_sections& file) { file.head.spec = "set(other)"; }, "no known code");
    refused([](stored_sections& file) { file.head.spec = "AO+BS"; }, "plain index");
    refused([](stored_sections& file) { file.sections.emplace_back("more", file.section("keys")); }, "other sections");
    refused([](stored_sections& file) { file.put("keys", 0, ~std::uint64_t{0}); }, "section");
    refused([](stored_sections& file) { file.put("keys", 0, 0x7fffffffffffffffull); }, "section");
    if (code == set_code::plain) continue;
    refused([](stored_sections& file) { file.put("heads", 0, std::uint64_t{1}); }, "section 'heads'");
    refused([](stored_sections& file) { file.put("heads", 0, std::uint64_t{1} << 63 | 1); }, "section 'heads'");
    refused([](stored_sections& file) { file.put("heads", 1, std::uint64_t{1} << 63); }, "section 'words'",
            "without keys");
    refused([](stored_sections& file) { file.section("words").resize(8); }, "section 'words'", "another length");
    refused([](stored_sections& file) { file.section("words").resize(160); }, "section 'heads'");
    refused([](stored_sections& file) { file.section("words").resize(9); }, "section 'words'");
    for (std::size_t bit = 0; bit < 64; ++bit) {  // each is refused, or leads to another set
      stored_sections forged(bytes);
      forged.section("words")[bit / 8] ^= static_cast<std::byte>(1 << bit % 8);
      try {
        key_set const loaded = key_set::load(forged.image(), exec_);
        auto const held = read_buffer<double>(loaded.keys(exec_).keys, loaded.size(), exec_);
        EXPECT_EQ(loaded.count(held, exec_), held.size());
      } catch (format_error const&) {
      }
    }
  }
}

}  // namespace
}  // namespace warpdex::test
