// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/search/round_key.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "support/exact.hpp"

namespace warpdex::test {
namespace {

template <class T> u128 bits_of(T value) {
  u128 bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <class T> T value_of(u128 bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// The value in the order of keys: NaN comes after infinity.
template <class T> std::pair<int, exact> ordered(T value) {
  if constexpr (std::is_floating_point_v<T>)
    if (std::isnan(value)) return {1, 0};
  return {0, static_cast<exact>(value)};
}

template <class T> u128 code(u128 bits) {
  key_codec const codec = codec_of(detail::key_type_of<T>());
  if constexpr (sizeof(T) == 4) return encode(codec, static_cast<std::uint32_t>(bits));
  else return encode(codec, static_cast<std::uint64_t>(bits));
}

template <class T> std::vector<T> interesting(std::mt19937_64& random) {
  std::vector<T> values;
  auto const add = [&](auto v) {
    if constexpr (std::is_floating_point_v<T>) {
      values.push_back(static_cast<T>(v));
    } else if (static_cast<exact>(v) >= static_cast<exact>(std::numeric_limits<T>::min()) &&
               static_cast<exact>(v) <= static_cast<exact>(std::numeric_limits<T>::max())) {
      values.push_back(static_cast<T>(v));
    }
  };
  for (int power = 0; power < 64; ++power)
    for (int step = -2; step <= 2; ++step) {
      add(std::ldexp(1.0L, power) + step);
      add(-std::ldexp(1.0L, power) + step);
    }
  add(std::numeric_limits<T>::max());
  add(std::numeric_limits<T>::lowest());
  if constexpr (std::is_floating_point_v<T>) {
    using limits = std::numeric_limits<T>;
    for (T const v : {limits::infinity(), limits::quiet_NaN(), limits::denorm_min(), limits::min(), T{0}, T{0.5},
                      T{2.5}, static_cast<T>(std::numeric_limits<float>::denorm_min() / 4), static_cast<T>(3.5e38)}) {
      values.push_back(v);
      values.push_back(-v);
    }
  }
  for (int i = 0; i < 2000; ++i) {
    std::uint64_t const word = random() >> random() % 64;
    values.push_back(value_of<T>(word));
    values.push_back(value_of<T>(bits_of(static_cast<float>(word) / 1024)));
  }
  return values;
}

/// Checks the definition: `below` and `above` are on their sides of the value, and are equal or neighbours.
template <class From, class To> void expect_neighbours() {
  std::mt19937_64 random(7);
  constexpr key_type from = detail::key_type_of<From>();
  constexpr key_type to = detail::key_type_of<To>();
  constexpr u128 last_code = sizeof(To) == 4 ? u128{0xffffffff} : u128{0xffffffffffffffff};
  for (From const value : interesting<From>(random)) {
    SCOPED_TRACE(testing::Message() << to_string(from) << " to " << to_string(to) << ": "
                                    << static_cast<long double>(value));
    rounded_key const key = round_key(from, bits_of(value), to);
    ASSERT_TRUE(key.has_below || key.has_above);
    auto const position = ordered(value);
    if (key.has_below) {
      ASSERT_LE(ordered(value_of<To>(key.below)), position);
    }
    if (key.has_above) {
      ASSERT_GE(ordered(value_of<To>(key.above)), position);
    }
    if (key.exact) {
      ASSERT_TRUE(key.has_below && key.has_above);
      ASSERT_EQ(ordered(value_of<To>(key.below)), position);
      ASSERT_EQ(ordered(value_of<To>(key.above)), position);
    } else if (key.has_below && key.has_above) {
      u128 between = code<To>(key.above) - code<To>(key.below) - 1;
      if (ordered(value_of<To>(key.below)).second < 0 && ordered(value_of<To>(key.above)).second == 0 &&
          std::is_floating_point_v<To>)
        --between;  // one of the two zeros is no code
      ASSERT_EQ(static_cast<std::uint64_t>(between), 0u);
    } else {
      ASSERT_EQ(static_cast<std::uint64_t>(code<To>(key.has_below ? key.below : key.above)),
                static_cast<std::uint64_t>(key.has_below ? last_code : 0));
    }
  }
}

template <class From> void expect_neighbours_in_all() {
  expect_neighbours<From, std::uint32_t>();
  expect_neighbours<From, std::uint64_t>();
  expect_neighbours<From, std::int32_t>();
  expect_neighbours<From, std::int64_t>();
  expect_neighbours<From, float>();
  expect_neighbours<From, double>();
}

TEST(round_key, numbers) {
  expect_neighbours_in_all<std::uint32_t>();
  expect_neighbours_in_all<std::uint64_t>();
  expect_neighbours_in_all<std::int32_t>();
  expect_neighbours_in_all<std::int64_t>();
  expect_neighbours_in_all<float>();
  expect_neighbours_in_all<double>();
}

TEST(round_key, wide_numbers) {
  u128 const huge = u128{1} << 127 | 1;
  rounded_key key = round_key(key_type::u128, huge, key_type::f64);
  EXPECT_FALSE(key.exact);
  EXPECT_EQ(value_of<double>(key.below), 0x1p127);
  EXPECT_EQ(value_of<double>(key.above), std::nextafter(0x1p127, 1e300));
  key = round_key(key_type::u128, ~u128{0}, key_type::f32);
  EXPECT_EQ(value_of<float>(key.below), std::numeric_limits<float>::max());
  EXPECT_EQ(value_of<float>(key.above), std::numeric_limits<float>::infinity());
  key = round_key(key_type::u128, huge, key_type::u64);
  EXPECT_TRUE(key.has_below && !key.has_above && key.below == std::numeric_limits<std::uint64_t>::max());
  key = round_key(key_type::f32, bits_of(0x1p127f), key_type::u128);
  EXPECT_TRUE(key.exact && key.below == u128{1} << 127);
  key = round_key(key_type::f64, bits_of(0x1p128), key_type::u128);
  EXPECT_TRUE(key.has_below && !key.has_above && key.below == ~u128{0});
  key = round_key(key_type::i32, bits_of(std::int32_t{-1}), key_type::u128);
  EXPECT_TRUE(!key.has_below && key.has_above && key.above == 0);
}

TEST(round_key, days_and_moments) {
  constexpr std::int64_t day = 86'400'000'000;
  auto const from_moment = [](std::int64_t moment) {
    return round_key(key_type::timestamp, bits_of(moment), key_type::date);
  };
  for (std::int64_t const days : {-3, -1, 0, 1, 20000}) {
    rounded_key key = from_moment(days * day);
    EXPECT_TRUE(key.exact);
    EXPECT_EQ(value_of<std::int32_t>(key.below), days);
    key = from_moment(days * day + 1);
    EXPECT_FALSE(key.exact);
    EXPECT_EQ(value_of<std::int32_t>(key.below), days);
    EXPECT_EQ(value_of<std::int32_t>(key.above), days + 1);
    key = round_key(key_type::date, bits_of(static_cast<std::int32_t>(days)), key_type::timestamp);
    EXPECT_TRUE(key.exact);
    EXPECT_EQ(value_of<std::int64_t>(key.below), days * day);
  }
  rounded_key key = round_key(key_type::date, bits_of(std::numeric_limits<std::int32_t>::max()), key_type::timestamp);
  EXPECT_TRUE(key.has_below && !key.has_above);
  EXPECT_EQ(value_of<std::int64_t>(key.below), std::numeric_limits<std::int64_t>::max());
  key = round_key(key_type::date, bits_of(std::numeric_limits<std::int32_t>::min()), key_type::timestamp);
  EXPECT_TRUE(!key.has_below && key.has_above);
  EXPECT_EQ(value_of<std::int64_t>(key.above), std::numeric_limits<std::int64_t>::min());
}

TEST(round_key, what_has_no_common_order) {
  EXPECT_TRUE(comparable(key_type::u32, key_type::f64));
  EXPECT_TRUE(comparable(key_type::i64, key_type::u128));
  EXPECT_TRUE(comparable(key_type::date, key_type::timestamp));
  EXPECT_FALSE(comparable(key_type::date, key_type::i32));
  EXPECT_FALSE(comparable(key_type::f64, key_type::timestamp));
}

TEST(key_types, each_has_its_own_type) {
  for (key_type const type : key_types) {
    key_type const called = with_key_type(type, [&]<class Key>() { return detail::key_type_of<Key>(); });
    EXPECT_EQ(called, type == key_type::bytes ? key_type::u128 : type) << to_string(type);
  }
}

}  // namespace
}  // namespace warpdex::test
