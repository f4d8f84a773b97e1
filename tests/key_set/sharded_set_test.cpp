// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/current_device.hpp>
#include <warpdex/device.hpp>
#include <warpdex/search/codec.hpp>
#include <warpdex/sharded_set.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "support/arrays.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/folder.hpp"
#include "support/seed.hpp"

/// @file
/// Sets in shards, on the host and on devices, against `key_set` of the same keys.
namespace warpdex::test {
namespace {

namespace fs = std::filesystem;
using words = std::vector<std::uint64_t>;

class sharded_sets : public testing::TestWithParam<backend_kind> {
 protected:
  /// One place per device, or three on the host.
  std::vector<shard_place> places() const {
    if (GetParam() == backend_kind::cpu) return std::vector<shard_place>(3);
    std::vector<shard_place> found;
    for (device_info const& device : devices()) found.push_back(place_on(device.ordinal));
    return found;
  }

  /// Keys: random, few, one, or at both ends of the type.
  template <class Key> std::vector<Key> keys(std::size_t size, int shape) {
    using bits = code_of<Key>;
    std::vector<Key> result;
    auto const any = [&] { return static_cast<bits>(u128{random_()} << 64 | random_()); };
    bits const one = any();
    for (std::size_t i = 0; i < size; ++i) {
      bits number = any();
      if (shape == 1) number = static_cast<bits>(one + number % 7);
      if (shape == 2) number = one;
      if (shape == 3) number = static_cast<bits>(i % 2 == 0 ? i / 2 : ~bits{0} - i / 2);
      result.push_back(__builtin_bit_cast(Key, number));
    }
    return result;
  }

  template <class Key> static std::vector<code_of<Key>> codes_of(key_list const& held, execution const& exec) {
    std::vector<code_of<Key>> codes;
    for (Key const key : read_buffer<Key>(held.keys, held.size, exec)) codes.push_back(encode(key));
    return codes;
  }

  template <class Key>
  void expect_same(sharded_set const& set, key_set const& whole, std::vector<Key> probes, bool rows = false) {
    ASSERT_EQ(set.size(), whole.size());
    auto const in_order = codes_of<Key>(set.keys(), host_);
    ASSERT_EQ(in_order, codes_of<Key>(whole.keys(), host_));
    for (std::size_t i = 0; i < in_order.size(); i += 1 + in_order.size() / 300)
      for (int const d : {-1, 0, 1})
        probes.push_back(__builtin_bit_cast(Key, decode(codec_of(detail::key_type_of<Key>()),
                                                        static_cast<code_of<Key>>(in_order[i] + code_of<Key>(d)))));
    std::vector<std::uint8_t> const bits(probes.size() / 8 + 2, 0xdb);
    for (nullable_column const query : {nullable_column(probes), nullable_column(probes, bits.data(), 3)}) {
      ASSERT_EQ(set.contains(query), whole.contains(query)) << "seed " << test_seed();
      EXPECT_EQ(set.count(query), whole.count(query));
      if (rows) {
        ASSERT_EQ(set.find(query), whole.find(query)) << "seed " << test_seed();
      }
    }
    expect_same_there(set, whole, probes);
  }

  /// The same with probes and answers in the memory of each place.
  template <class Key>
  void expect_same_there(sharded_set const& set, key_set const& whole, std::vector<Key> const& probes) {
    for (shard_place const& place : places()) {
      if (place.device < 0) continue;
      device_scope const scope(place.device);
      buffer const there(probes.size() * sizeof(Key), place.exec), found(probes.size(), place.exec);
      if (!probes.empty()) copy(there.data(), probes.data(), there.bytes(), place.exec);
      column const query(there.data(), probes.size(), detail::key_type_of<Key>());
      set.contains(query, std::span(found.as<bool>(), probes.size()), place.exec);
      EXPECT_EQ(read_buffer<std::uint8_t>(found, probes.size(), place.exec), whole.contains(probes));
      EXPECT_EQ(set.count(query, place.exec), whole.count(probes));
    }
  }

  template <class Key> void compare(std::size_t size, int shape, std::uint32_t shards = 0) {
    SCOPED_TRACE("size " + std::to_string(size) + ", shape " + std::to_string(shape) + ", shards " +
                 std::to_string(shards) + ", seed " + std::to_string(test_seed()));
    auto const a = keys<Key>(size, shape);
    auto b = keys<Key>(size / 2 + 1, shape);
    b.insert(b.end(), a.begin(), a.begin() + static_cast<std::ptrdiff_t>(size / 3));
    set_code const code = size % 2 == 0 ? set_code::plain : set_code::compressed;
    std::vector<std::uint8_t> const bits(size / 8 + 2, 0xf7);
    expect_same(sharded_set::build(nullable_column(a, bits.data(), 5), places(), code, shards),
                key_set(nullable_column(a, bits.data(), 5), host_), b);
    sharded_set set = sharded_set::build(a, places(), code, shards);
    key_set whole(a, host_);
    EXPECT_EQ(set.key_type(), detail::key_type_of<Key>());
    EXPECT_EQ(set.code(), code);
    EXPECT_EQ(set.shards().size(), shards == 0 ? places().size() : shards);
    expect_same(set, whole, b);
    sharded_set const other = sharded_set::build(b, places());
    key_set const other_whole(b, host_);
    expect_same(set.merge(other), whole.merge(other_whole), b);
    expect_same(set.intersection(other), whole.intersection(other_whole), b);
    expect_same(set.difference(other), whole.difference(other_whole), b);
    sharded_set const before = set;
    EXPECT_EQ(set.insert(b), whole.insert(b));
    expect_same(set, whole, b);
    expect_same(set.difference(before), whole.difference(key_set(a, host_)), b);  // of the same borders
    expect_same(before, key_set(a, host_), b);
    EXPECT_EQ(set.erase(b), whole.erase(b));
    expect_same(set, whole, b);
  }

  template <class Key> void compare_all() {
    for (std::size_t const size : {0, 1, 2, 3, 700, 4097})
      for (int shape = 0; shape < 4; ++shape) compare<Key>(size, shape);
    for (int shape = 0; shape < 4; ++shape) compare<Key>(1001, shape, 17);
  }

  execution const host_{};
  std::mt19937_64 random_{test_seed()};
};
INSTANTIATE_TEST_SUITE_P(, sharded_sets, testing::ValuesIn(present_backends()), backend_name);

TEST_P(sharded_sets, of_u32) { compare_all<std::uint32_t>(); }
TEST_P(sharded_sets, of_u64) { compare_all<std::uint64_t>(); }
TEST_P(sharded_sets, of_u128) { compare_all<u128>(); }
TEST_P(sharded_sets, of_i32) { compare_all<std::int32_t>(); }
TEST_P(sharded_sets, of_i64) { compare_all<std::int64_t>(); }
TEST_P(sharded_sets, of_f32) { compare_all<float>(); }
TEST_P(sharded_sets, of_f64) { compare_all<double>(); }

TEST_P(sharded_sets, of_many_keys) {
  auto const some = keys<std::uint64_t>(3'000'000, 0);
  words probes = keys<std::uint64_t>(2'500'000, 0);
  probes.insert(probes.end(), some.begin(), some.begin() + 1'000'000);
  sharded_set const set = sharded_set::build(some, places(), set_code::automatic, 5);
  EXPECT_EQ(set.code(), set_code::compressed);
  expect_same(set, key_set(some, host_), probes);
  std::uint64_t const most = set.size() / 5 + set.size() / 50;
  for (set_shard const& shard : set.shards()) EXPECT_LT(shard.keys, most);
}

TEST_P(sharded_sets, rows) {
  for (std::uint32_t const shards : {1u, 3u, 8u}) {
    auto const a = keys<std::uint64_t>(2000, 1), b = keys<std::uint64_t>(3000, 0);
    words both = a, rows(5000);
    both.insert(both.end(), b.begin(), b.end());
    for (auto& row : rows) row = random_() % 100'000;
    std::span const all(rows);
    std::vector<std::uint8_t> const bits(700, 0x9f);
    nullable_column const given(both, bits.data(), 1);
    sharded_set set = sharded_set::build(given, rows, places(), set_code::automatic, shards);
    key_set whole(given, rows, host_);
    EXPECT_GT(set.row_bits(), 0);
    expect_same(set, whole, both, true);
    expect_same(sharded_set::build(a, std::vector<std::uint32_t>(2000, 7), places()),
                key_set(a, std::vector<std::uint32_t>(2000, 7), host_), both, true);
    EXPECT_EQ(set.insert(b, all.first(3000)), whole.insert(b, all.first(3000), host_));
    expect_same(set, whole, both, true);
    sharded_set const other = sharded_set::build(a, all.first(2000), places());
    key_set const other_whole(a, all.first(2000), host_);
    expect_same(set.merge(other), whole.merge(other_whole), both, true);
    expect_same(set.intersection(other), whole.intersection(other_whole), both, true);
    expect_same(set.difference(sharded_set::build(a, places())), whole.difference(other_whole), both, true);
    EXPECT_EQ(set.erase(a), whole.erase(a));
    expect_same(set, whole, both, true);
    EXPECT_TRUE(throws<unsupported>([&] { set.insert(a); }, "insert: the set keeps a row of each key"));
    EXPECT_TRUE(throws<invalid_argument>([&] { (void)set.merge(sharded_set::build(a, places())); },
                                         "this set keeps rows, but the other one has none"));
    rows[1] = no_row<std::uint64_t>;
    EXPECT_TRUE(throws<invalid_argument>([&] { set.insert(b, all.first(3000)); }, "stands for a miss"));
    expect_same(set, whole, both, true);
  }
}

TEST_P(sharded_sets, probes_of_other_types_and_odd_floats) {
  std::vector<std::int32_t> const few = {-5, 7, std::numeric_limits<std::int32_t>::min(), 0, 12, 13, 14};
  sharded_set const set = sharded_set::build(few, places());
  std::vector<double> const reals = {7, 7.5, -1e300, 1e300, -5, std::numeric_limits<double>::quiet_NaN()};
  EXPECT_EQ(set.contains(reals), (std::vector<std::uint8_t>{1, 0, 0, 0, 1, 0}));
  EXPECT_EQ(set.contains(std::vector<u128>{7, u128{7} << 64}), (std::vector<std::uint8_t>{1, 0}));
  double const nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  std::vector<double> const odd = {nan, -0.0, infinity, -nan, 0.0, -infinity, 1};
  sharded_set const floats = sharded_set::build(odd, places(), set_code::automatic, 9);
  EXPECT_EQ(floats.size(), 5u);
  EXPECT_EQ(floats.count(odd), odd.size());
}

TEST_P(sharded_sets, folders) {
  folder const home;
  fs::path const path = home / "set";
  auto const some = keys<std::uint64_t>(5000, 0);
  words rows(some.size());
  std::iota(rows.begin(), rows.end(), 9u);
  for (bool const with_rows : {false, true}) {
    sharded_set const set = with_rows ? sharded_set::build(some, rows, places(), set_code::compressed, 4)
                                      : sharded_set::build(some, places(), set_code::plain, 4);
    save(set, path, "a note");
    EXPECT_EQ(std::distance(fs::directory_iterator(path), fs::directory_iterator()), 5);
    key_set const whole = with_rows ? key_set(some, rows, host_) : key_set(some, host_);
    for (std::size_t const count : {1, 2, 6}) {
      sharded_set loaded = sharded_set::load(path, std::vector<shard_place>(count), count == 2);
      EXPECT_EQ(loaded.note(), "a note");
      EXPECT_EQ(loaded.code(), set.code());
      expect_same(loaded, whole, some, with_rows);
      EXPECT_EQ(loaded.erase(some), whole.size());
    }
    expect_same(sharded_set::load(path, places()).intersection(set), whole, some, with_rows);
    std::uint64_t all = 0;
    for (auto const& entry : fs::directory_iterator(path))
      if (entry.path().filename() != "manifest.wdx") all += key_set::load(entry.path(), host_).size();
    EXPECT_EQ(all, whole.size());
  }
  EXPECT_TRUE(throws<format_error>([&] { (void)sharded_index::load(path, places()); },
                                   "the file is the manifest of a sharded set; load its folder"));
  EXPECT_TRUE(throws<format_error>([&] { (void)key_set::load(path / "manifest.wdx", host_); },
                                   "the file is the manifest of a sharded set"));
  for (auto const& entry : fs::directory_iterator(path))
    if (entry.path().string().ends_with("-2.wdx"))
      sharded_set::build(some, places()).save(home / "other"),
          fs::copy_file(*fs::directory_iterator(home / "other"), entry.path(), fs::copy_options::overwrite_existing);
  EXPECT_TRUE(
      throws<format_error>([&] { (void)sharded_set::load(path, places()); }, "the file is not shard 2 of this folder"));
  sharded_index::build("AO+BS", some, placement::range, places()).save(path);
  EXPECT_TRUE(throws<format_error>([&] { (void)sharded_set::load(path, places()); },
                                   "the file is the manifest of a sharded index; load its folder"));
}

TEST_P(sharded_sets, shards_with_keys_of_others) {
  folder const home;
  auto const some = keys<std::uint64_t>(5000, 0);
  for (set_code const code : {set_code::plain, set_code::compressed})
    for (bool const greatest : {false, true}) {
      sharded_set::build(some, places(), code, 4).save(home / "set");
      for (auto const& entry : fs::directory_iterator(home / "set")) {
        if (!entry.path().string().ends_with("-2.wdx")) continue;
        key_set const shard = key_set::load(entry.path(), host_);
        key_list const found = shard.keys(host_);
        auto const* const first = found.keys.as<std::uint64_t const>();
        std::vector<std::uint64_t> forged(first, first + found.size);
        (greatest ? forged.back() : forged.front()) = greatest ? ~std::uint64_t{0} : 0;
        save(key_set(forged, host_, code), entry.path(), shard.note());
      }
      EXPECT_TRUE(throws<format_error>([&] { (void)sharded_set::load(home / "set", places()); }, "beyond the borders"));
      EXPECT_EQ(sharded_set::load(home / "set", places(), false, check::none).size(), key_set(some, host_).size());
    }
}

TEST_P(sharded_sets, refusals) {
  auto const some = keys<std::uint64_t>(100, 0);
  sharded_set set = sharded_set::build(some, places());
  EXPECT_TRUE(throws<invalid_argument>([&] { (void)sharded_set::build(some, {}); }, "build: there are no places"));
  std::vector<shard_place> wrong = {{}, {{}, 3}};
  EXPECT_TRUE(
      throws<invalid_argument>([&] { (void)sharded_set::build(some, wrong); }, "place 1", "device is number 3"));
  EXPECT_TRUE(throws<invalid_argument>([&] { (void)sharded_set::build(some, places(), set_code::plain, 1 << 17); },
                                       "131072 shards"));
  EXPECT_TRUE(throws<invalid_argument>([&] { (void)sharded_set::build(some, places(), static_cast<set_code>(9)); },
                                       "code number 9 is unknown"));
  EXPECT_TRUE(throws<unsupported>([&] { (void)set.find(some); }, "find: the set keeps no rows"));
  EXPECT_TRUE(throws<unsupported>([&] { set.insert(some, words(100)); }, "the set keeps no rows"));
  std::vector<std::uint32_t> const others(3);
  EXPECT_TRUE(throws<invalid_argument>([&] { set.insert(others); }, "insert", "type u32", "type u64"));
  EXPECT_TRUE(throws<invalid_argument>([&] { (void)set.merge(sharded_set::build(others, places())); }, "u64 and u32"));
  EXPECT_TRUE(throws<invalid_argument>([&] { (void)sharded_set::build(some, words(99), places()); }, "the row column"));
  sharded_set const elsewhere = sharded_set::build(some, std::vector<shard_place>(5));
  EXPECT_TRUE(throws<invalid_argument>([&] { (void)set.merge(elsewhere); }, "the sets are not in the same places"));
  std::vector<std::uint8_t> short_one(3);
  EXPECT_TRUE(throws<invalid_argument>(
      [&] { set.contains(some, std::span(reinterpret_cast<bool*>(short_one.data()), 3), {}); }, "the output"));
  sharded_set const taken = std::move(set);
  EXPECT_TRUE(throws<invalid_argument>([&] { (void)set.size(); }, "size: the set was moved from"));
  EXPECT_TRUE(throws<invalid_argument>([&] { (void)set.contains(some); }, "contains: the set was moved from"));
  EXPECT_EQ(taken.count(some), some.size());
}

}  // namespace
}  // namespace warpdex::test
