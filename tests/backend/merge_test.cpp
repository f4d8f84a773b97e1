// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/backend.hpp"
#include "support/arrays.hpp"
#include "support/backends.hpp"
#include "support/eytzinger.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

/// @file
/// The set operations of updates, against the standard library: sizes around the tiles of each backend, many entries of
/// one key, keys that are erased but absent, and rows that break ties.
namespace warpdex::test {
namespace {

template <class Key, class Row> class merging_pairs {
 public:
  using entry = std::pair<Key, Row>;
  using entries = std::vector<entry>;

  static constexpr key_kind kind = is_bytes<Key>      ? key_kind::bytes
                                   : sizeof(Key) == 4 ? key_kind::u32
                                   : sizeof(Key) == 8 ? key_kind::u64
                                                      : key_kind::u128;

  explicit merging_pairs(backend_kind where)
      : stream_(where), exec_(memory_of(where), stream_, 2), backend_(backend_of(where)),
        texts_(1 << 16, execution(where == backend_kind::cpu ? host_memory() : warpdex::pinned_memory())) {
    for (std::size_t i = 0; i < texts_.bytes(); ++i) texts_.as<unsigned char>()[i] = random_() % 3 * 0x7f;
  }

  /// @return the key that represents a number; equal ones for equal numbers
  Key key_of(std::uint64_t number) const {
    if constexpr (!is_bytes<Key>) return static_cast<Key>(number);
    else return {texts_.as<unsigned char>() + number % 65521, static_cast<std::uint32_t>(number % 13)};
  }

  std::vector<Key> keys_of(std::vector<std::uint64_t> const& numbers) const {
    std::vector<Key> result;
    for (std::uint64_t const number : numbers) result.push_back(key_of(number));
    std::sort(result.begin(), result.end());
    return result;
  }

  /// @param values keys represent numbers below this @param gaps only multiples of this occur
  entries make(std::size_t size, std::uint64_t values, std::uint64_t gaps = 1) {
    entries result(size);
    for (entry& e : result) {
      e.first = key_of(random_() % values * gaps);
      e.second = static_cast<Row>(random_() % 100);
    }
    std::sort(result.begin(), result.end());
    return result;
  }

  std::vector<Key> make_keys(std::size_t size, std::uint64_t values) {
    std::vector<Key> result(size);
    for (Key& key : result) key = key_of(random_() % values);
    std::sort(result.begin(), result.end());
    return result;
  }

  /// @param order of `from` and of the result
  void expect_right(entries const& from, entries const& insert, std::vector<Key> erase, slot_order order = {}) {
    expect_right(from, order, insert, erase, order);
  }

  void expect_right(entries const& from, slot_order from_order, entries const& insert, std::vector<Key> erase,
                    slot_order order) {
    sorted_pairs const laid_out = put(in_slots(from, from_order));
    sorted_view const old{laid_out.keys.data(), laid_out.rows.data(), from.size(), from_order};
    sorted_pairs const added = put(insert);
    pair_types const types{kind, sizeof(Row) == 4 ? row_type::u32 : row_type::u64};
    buffer const wanted = put_values(erase);
    sorted_keys const keys = backend_.distinct(wanted.data(), erase.size(), kind, exec_);
    erase.erase(std::unique(erase.begin(), erase.end()), erase.end());
    ASSERT_EQ(keys.size, erase.size());
    ASSERT_EQ(read_buffer<Key>(keys.keys, keys.size, exec_), erase);

    sorted_keys const alone = backend_.without(keys, added.keys.data(), added.size, kind, exec_);
    std::vector<Key> expected_alone;
    for (Key const key : erase)
      if (!has(insert, key)) expected_alone.push_back(key);
    ASSERT_EQ(read_buffer<Key>(alone.keys, alone.size, exec_), expected_alone);

    found_ranges const ranges = backend_.find_ranges(old, keys, types, exec_);
    entries expected;
    for (entry const& e : from)
      if (!std::binary_search(erase.begin(), erase.end(), e.first)) expected.push_back(e);
    ASSERT_EQ(ranges.entries, from.size() - expected.size());
    expected.insert(expected.end(), insert.begin(), insert.end());
    std::sort(expected.begin(), expected.end());
    sorted_pairs const merged = backend_.merge(old, ranges, added.view(), order, types, exec_);
    ASSERT_EQ(merged.size, expected.size());
    ASSERT_EQ(merged.order.fanout, order.fanout);
    std::size_t const lead = order.fanout == 2 ? 1 : 0;
    auto const merged_keys = read_buffer<Key>(merged.keys, lead + merged.size, exec_);
    auto const merged_rows = read_buffer<Row>(merged.rows, lead + merged.size, exec_);
    auto const in_order = in_slots(expected, order);
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_EQ(entry(merged_keys[lead + i], merged_rows[lead + i]), in_order[i])
          << "slot " << i << " of " << expected.size() << " for K = " << order.fanout;
    std::size_t const nodes = order.fanout == 0 ? 0 : (merged.size + order.fanout - 2) / (order.fanout - 1);
    std::size_t const slots = order.fanout == 0 ? merged.size : lead + nodes * (order.fanout - 1);
    EXPECT_EQ(merged.keys.bytes(), slots * sizeof(Key));
    EXPECT_EQ(merged.rows.bytes(), slots * sizeof(Row));
  }

 private:
  static entries in_slots(entries const& sorted, slot_order order) {
    return order.fanout == 0 ? sorted : in_eytzinger_order(sorted, order.fanout);
  }

  static bool has(entries const& of, Key key) {
    auto const at =
        std::lower_bound(of.begin(), of.end(), key, [](entry const& e, Key const& k) { return e.first < k; });
    return at != of.end() && at->first == key;
  }

  template <class T> buffer put_values(std::vector<T> const& values) {
    buffer result(values.size() * sizeof(T), exec_);
    if (!values.empty()) copy(result.data(), values.data(), result.bytes(), exec_);
    return result;
  }

  sorted_pairs put(entries const& from) {
    std::vector<Key> keys;
    std::vector<Row> rows;
    for (auto const& [key, row] : from) {
      keys.push_back(key);
      rows.push_back(row);
    }
    return {put_values(keys), put_values(rows), from.size()};
  }

  test_stream stream_;
  execution exec_;
  backend const& backend_;
  std::mt19937_64 random_{20261121};
  buffer texts_;  ///< what strings refer to, within reach of both sides
};

template <class Key, class Row> void test_all(backend_kind kind) {
  SCOPED_TRACE(testing::Message() << (is_bytes<Key> ? "references, " : "") << sizeof(Key) << "-byte keys, "
                                  << sizeof(Row) << "-byte rows");
  merging_pairs<Key, Row> test(kind);
  constexpr std::size_t sizes[] = {0, 1, 2, 100, 1791, 1793, 3839, 3840, 3841, 20000};
  for (std::size_t const n : sizes)
    for (std::size_t const m : sizes)
      for (std::uint64_t const values : {3u, 1000u, 1u << 30}) {
        std::size_t const e = (n + m) / 4;
        auto const from = test.make(n, values);
        auto const insert = test.make(m, values);
        ASSERT_NO_FATAL_FAILURE(test.expect_right(from, insert, {}));
        ASSERT_NO_FATAL_FAILURE(test.expect_right(from, insert, test.make_keys(e, values)));
      }
  for (int const fanout : is_bytes<Key> ? std::vector<int>() : std::vector<int>{2, 3, 9, 33})
    for (std::size_t const n : {0, 1, 8, 9, 3841, 20000})
      for (std::size_t const m : {0, 1, 1793}) {
        auto const from = test.make(n, 1000);
        auto const insert = test.make(m, 1000);
        ASSERT_NO_FATAL_FAILURE(test.expect_right(from, insert, {}, {fanout}));
        ASSERT_NO_FATAL_FAILURE(test.expect_right(from, insert, test.make_keys(n / 4, 1000), {fanout}));
        ASSERT_NO_FATAL_FAILURE(test.expect_right(from, {}, insert, test.make_keys(n / 4, 1000), {fanout}));
        ASSERT_NO_FATAL_FAILURE(test.expect_right(from, {fanout}, insert, test.make_keys(n / 4, 1000), {}));
      }
  // More than one tile on each backend, a tile whose entries are all erased, many absent keys between two entries.
  auto const from = test.make(150000, 50, 1000000);
  auto const insert = test.make(150000, 50, 1000000);
  std::vector<Key> const few = test.keys_of({0, 7000000, 7000001, 49000000, ~std::uint64_t{0}});
  ASSERT_NO_FATAL_FAILURE(test.expect_right(from, {}, few));
  ASSERT_NO_FATAL_FAILURE(test.expect_right(from, insert, few));
  ASSERT_NO_FATAL_FAILURE(test.expect_right(from, insert, test.make_keys(200000, 60000000)));
  ASSERT_NO_FATAL_FAILURE(test.expect_right(from, from, {}));
  auto const spread = test.make(150000, 1u << 30);
  auto every_other = std::vector<Key>();
  for (std::size_t i = 0; i < spread.size(); i += 2) every_other.push_back(spread[i].first);
  ASSERT_NO_FATAL_FAILURE(test.expect_right(spread, insert, every_other));
  if (!is_bytes<Key>) {
    ASSERT_NO_FATAL_FAILURE(test.expect_right(spread, insert, every_other, {9}));
  }
}

class slow_merging_on : public testing::TestWithParam<backend_kind> {};

TEST_P(slow_merging_on, narrow_pairs) { test_all<std::uint32_t, std::uint32_t>(GetParam()); }
TEST_P(slow_merging_on, narrow_keys) { test_all<std::uint32_t, std::uint64_t>(GetParam()); }
TEST_P(slow_merging_on, narrow_rows) { test_all<std::uint64_t, std::uint32_t>(GetParam()); }
TEST_P(slow_merging_on, pairs_of_16_byte_keys) { test_all<u128, std::uint32_t>(GetParam()); }
TEST_P(slow_merging_on, references_to_strings) { test_all<byte_key, std::uint32_t>(GetParam()); }
TEST_P(slow_merging_on, wide_pairs) { test_all<std::uint64_t, std::uint64_t>(GetParam()); }

INSTANTIATE_TEST_SUITE_P(all, slow_merging_on, testing::ValuesIn(present_backends()), backend_name);

}  // namespace
}  // namespace warpdex::test
