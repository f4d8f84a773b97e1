// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/key_set.hpp>
#include <warpdex/search/codec.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "support/backends.hpp"
#include "support/seed.hpp"

/// @file
/// Batches of probes that are large enough for windows, in sets that are, against `std::map`.
namespace warpdex::test {
namespace {

constexpr std::size_t set_size = 70'000, probe_count = 80'000;
constexpr std::size_t crowd = 70'000;  // probes of one bucket, which threads share
constexpr std::uint64_t none = no_row<std::uint64_t>;

class set_windows_of : public testing::TestWithParam<backend_kind> {
 protected:
  template <class Key> Key any() { return static_cast<Key>(u128{random_()} << 64 | random_()); }

  /// @param shape random, in clusters, at equal distances, or at both ends of the type and one in between
  template <class Key> std::map<Key, std::uint64_t> keys(int shape) {
    std::map<Key, std::uint64_t> result;
    Key const start = any<Key>();
    for (std::size_t i = 0; i < set_size; ++i) {
      Key key = any<Key>();
      if (shape == 1) key = static_cast<Key>(start + (key % 5 << 20) + key / 5 % 50'000);
      if (shape == 2) key = static_cast<Key>(1000 + i * 60'000);
      if (shape == 3) key = i == 0 ? start : i % 2 == 0 ? static_cast<Key>(i) : static_cast<Key>(~Key{0} - i);
      result.emplace(key, random_() % 1000);
    }
    return result;
  }

  /// @param about what part of the probes, of 8, are keys; the others are next to keys, or anywhere
  template <class Key> std::vector<Key> probes(std::map<Key, std::uint64_t> const& keys, unsigned about) {
    std::vector<Key> held, result;
    for (auto const& [key, row] : keys) held.push_back(key);
    while (result.size() < probe_count) {
      Key key = held[random_() % held.size()];
      if (random_() % 8 >= about) key = random_() % 2 == 0 ? any<Key>() : static_cast<Key>(key + random_() % 3 - 1);
      result.push_back(key);
    }
    result.insert(result.end(), {Key{0}, static_cast<Key>(~Key{0}), held.front(), held.back()});
    if (random_() % 2 == 0) result.insert(result.end(), crowd, held[held.size() / 2]);
    return result;
  }

  template <class Key> void compare(int shape, set_code code, int threads) {
    SCOPED_TRACE("shape " + std::to_string(shape) + ", code " + std::to_string(static_cast<int>(code)) + ", threads " +
                 std::to_string(threads) + ", seed " + std::to_string(test_seed()));
    auto const model = keys<Key>(shape);
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
      auto const at = model.find(asked[i]);
      ASSERT_EQ(flags[i], at != model.end()) << i;
      ASSERT_EQ(found[i], at == model.end() ? none : at->second) << i;
    }
  }

  template <class Key> void compare_all() {
    for (set_code const code : {set_code::plain, set_code::compressed})
      for (int shape = 0; shape < 4; ++shape) compare<Key>(shape, code, 1 + 2 * (shape % 2));
  }

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
  std::vector<std::int32_t> keys(set_size);
  for (std::size_t i = 0; i < set_size; ++i) keys[i] = static_cast<std::int32_t>(3 * i) - 90'000;
  std::vector<double> asked(probe_count);
  std::vector<std::uint8_t> valid(probe_count / 8 + 1);
  for (auto& bits : valid) bits = static_cast<std::uint8_t>(random_());
  for (auto& probe : asked) probe = static_cast<double>(random_() % 900'000) / 2 - 200'000;
  asked[7] = std::numeric_limits<double>::quiet_NaN();
  for (set_code const code : {set_code::plain, set_code::compressed}) {
    key_set const set(keys, exec_, code);
    auto const flags = set.contains(nullable_column(column(asked), valid.data()), exec_);
    for (std::size_t i = 0; i < asked.size(); ++i) {
      double const number = (asked[i] + 90'000) / 3;
      bool const is_key = number >= 0 && number < static_cast<double>(set_size) && number == std::floor(number);
      ASSERT_EQ(flags[i], (valid[i / 8] >> (i % 8) & 1) != 0 && is_key) << i << ", seed " << test_seed();
    }
  }
}

}  // namespace
}  // namespace warpdex::test
