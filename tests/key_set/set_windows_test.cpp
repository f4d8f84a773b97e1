// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/key_set.hpp>
#include <warpdex/search/codec.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/backends.hpp"
#include "support/seed.hpp"

/// @file
/// Batches of probes that are large enough for windows, in sets that are, against sorted arrays.
namespace warpdex::test {
namespace {

constexpr std::uint64_t none = no_row<std::uint64_t>;

class set_windows_of : public testing::TestWithParam<backend_kind> {
 protected:
  template <class Key> using entry = std::pair<Key, std::uint64_t>;

  template <class Key> Key any() { return static_cast<Key>(u128{random_()} << 64 | random_()); }

  /// @param shape random, in clusters, at equal distances, or at both ends of the type and one in between
  template <class Key> std::vector<entry<Key>> entries(int shape) {
    std::vector<entry<Key>> result;
    Key const start = any<Key>();
    for (std::size_t i = 0; i < set_size_; ++i) {
      Key key = any<Key>();
      if (shape == 1) key = static_cast<Key>(start + (key % 5 << 20) + key / 5 % 50'000);
      if (shape == 2) key = static_cast<Key>(1000 + i * (~std::uint32_t{0} / set_size_));
      if (shape == 3) key = i == 0 ? start : i % 2 == 0 ? static_cast<Key>(i) : static_cast<Key>(~Key{0} - i);
      result.emplace_back(key, random_() % 1000);
    }
    std::sort(result.begin(), result.end());
    auto const same = [](auto const& one, auto const& other) { return one.first == other.first; };
    result.erase(std::unique(result.begin(), result.end(), same), result.end());
    return result;
  }

  /// @param about what part of the probes, of 8, are keys; the others are next to keys, or anywhere
  template <class Key> std::vector<Key> probes(std::vector<entry<Key>> const& keys, unsigned about) {
    std::vector<Key> result;
    while (result.size() < probe_count_) {
      Key key = keys[random_() % keys.size()].first;
      if (random_() % 8 >= about) key = random_() % 2 == 0 ? any<Key>() : static_cast<Key>(key + random_() % 3 - 1);
      result.push_back(key);
    }
    result.insert(result.end(), {Key{0}, static_cast<Key>(~Key{0}), keys.front().first, keys.back().first});
    std::size_t const crowd = 70'000;  // probes of one bucket, which threads share
    if (random_() % 2 == 0) result.insert(result.end(), crowd, keys[keys.size() / 2].first);
    return result;
  }

  template <class Key> void compare(int shape, set_code code, int threads) {
    SCOPED_TRACE("shape " + std::to_string(shape) + ", code " + std::to_string(static_cast<int>(code)) + ", threads " +
                 std::to_string(threads) + ", seed " + std::to_string(test_seed()));
    auto const model = entries<Key>(shape);
    std::vector<Key> held;
    std::vector<std::uint64_t> rows;
    for (auto const& [key, row] : model) {
      held.push_back(key);
      rows.push_back(row);
    }
    execution exec = exec_;
    exec.threads = threads;
    key_set const set(held, rows, exec, code);
    auto const asked = probes(model, 1 + static_cast<unsigned>(shape) * 2);
    auto const found = set.find(asked, exec);
    auto const flags = set.contains(asked, exec);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      auto const at = std::lower_bound(held.begin(), held.end(), asked[i]);
      bool const is_key = at != held.end() && *at == asked[i];
      ASSERT_EQ(flags[i], is_key) << i;
      ASSERT_EQ(found[i], is_key ? rows[static_cast<std::size_t>(at - held.begin())] : none) << i;
    }
  }

  template <class Key> void compare_all() {
    for (set_code const code : {set_code::plain, set_code::compressed})
      for (int shape = 0; shape < 4; ++shape) compare<Key>(shape, code, 1 + 2 * (shape % 2));
  }

  // Fewer do not pay for windows of a device.
  bool const on_device_ = GetParam() == backend_kind::cuda;
  std::size_t const set_size_ = on_device_ ? 5'000'000 : 70'000;
  std::size_t const probe_count_ = on_device_ ? 2'200'000 : 80'000;
  execution const exec_{memory_of(GetParam())};
  std::mt19937_64 random_{test_seed()};
};
INSTANTIATE_TEST_SUITE_P(, set_windows_of, testing::ValuesIn(present_backends()), backend_name);

TEST_P(set_windows_of, keys_of_4_bytes) { compare_all<std::uint32_t>(); }
TEST_P(set_windows_of, keys_of_8_bytes) { compare_all<std::uint64_t>(); }
TEST_P(set_windows_of, keys_of_16_bytes) { compare_all<u128>(); }

TEST_P(set_windows_of, few_probes_for_the_keys) {
  std::vector<std::uint64_t> keys(std::size_t{1} << 21), asked(std::size_t{1} << 16);
  for (auto& key : keys) key = random_();
  std::vector<std::uint64_t> const held = keys;
  std::sort(keys.begin(), keys.end());
  for (set_code const code : {set_code::plain, set_code::compressed}) {
    key_set const set(held, exec_, code);
    for (auto& probe : asked) probe = held[random_() % held.size()] + random_() % 2;
    auto const flags = set.contains(asked, exec_);
    for (std::size_t i = 0; i < asked.size(); ++i)
      ASSERT_EQ(flags[i], std::binary_search(keys.begin(), keys.end(), asked[i])) << i << ", seed " << test_seed();
  }
}

TEST_P(set_windows_of, probes_of_other_types_and_nulls) {
  std::vector<std::int32_t> keys(set_size_);
  for (std::size_t i = 0; i < set_size_; ++i) keys[i] = static_cast<std::int32_t>(3 * i) - 90'000;
  std::vector<double> asked(probe_count_);
  std::vector<std::uint8_t> valid(probe_count_ / 8 + 1);
  for (auto& bits : valid) bits = static_cast<std::uint8_t>(random_());
  for (auto& probe : asked) probe = static_cast<double>(random_() % (13 * set_size_)) / 2 - 200'000;
  asked[7] = std::numeric_limits<double>::quiet_NaN();
  for (set_code const code : {set_code::plain, set_code::compressed}) {
    key_set const set(keys, exec_, code);
    auto const flags = set.contains(nullable_column(column(asked), valid.data()), exec_);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      double const number = (asked[i] + 90'000) / 3;
      bool const is_key = number >= 0 && number < static_cast<double>(set_size_) && number == std::floor(number);
      ASSERT_EQ(flags[i], (valid[i / 8] >> (i % 8) & 1) != 0 && is_key) << i << ", seed " << test_seed();
    }
  }
}

}  // namespace
}  // namespace warpdex::test
