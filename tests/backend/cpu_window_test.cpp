// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/cpu_window.hpp"
#include "support/limited_memory.hpp"
#include "support/sanitizers.hpp"

#include <warpdex/index.hpp>
#include <warpdex/search/radix_tree.hpp>
#include <warpdex/search/sorted_bytes.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <span>
#include <vector>

namespace warpdex::test {
namespace {

template <class Key> using pairs_of = soa_pairs<Key, std::uint32_t>;

std::uint64_t scrambled(std::uint64_t i) {
  i = (i ^ i >> 30) * 0xbf58476d1ce4e5b9u;
  i = (i ^ i >> 27) * 0x94d049bb133111ebu;
  return i ^ i >> 31;
}

/// Sorted keys, made from numbers of 64 bits. Those of 16 bytes have more bits than a route.
template <class Key, class KeyOf> std::vector<Key> sorted_keys(std::uint64_t size, KeyOf const& key_of) {
  std::vector<Key> keys(size);
  for (std::uint64_t i = 0; i < size; ++i)
    keys[i] = static_cast<Key>(static_cast<Key>(key_of(i)) << (sizeof(Key) == 16 ? 20 : 0));
  std::sort(keys.begin(), keys.end());
  return keys;
}

/// Runs all operations over `keys` in windows of 2^11 probes, and compares all answers with those of a sorted vector.
template <class Key> void expect_right(std::vector<Key> const& keys, int threads) {
  std::vector<std::uint32_t> rows(keys.size());
  for (std::uint32_t i = 0; i < rows.size(); ++i) rows[i] = 3 * i;
  sorted_array<pairs_of<Key>> const view({keys.data(), rows.data()}, keys.size());
  std::vector<Key> probes = {0, std::numeric_limits<Key>::max(), keys.front(), keys.back()};
  for (std::uint64_t i = 0; probes.size() < 5000; ++i) {
    probes.push_back(keys[scrambled(i) % keys.size()]);
    probes.push_back(static_cast<Key>(probes.back() + i % 3 - 1));
    probes.push_back(static_cast<Key>(scrambled(~i)));
  }
  execution const exec(host_memory(), {}, threads);
  constexpr auto none = no_row<std::uint32_t>;
  for (auto const op : {search_op::find, search_op::contains, search_op::lower_bound, search_op::upper_bound,
                        search_op::floor, search_op::ceil}) {
    std::vector<std::uint64_t> out(probes.size());
    std::vector<Key> found(probes.size());
    auto const type = detail::key_type_of<Key>();
    point_batch const batch{op, codec_of(type), probes.data(), probes.size(), out.data(), found.data()};
    window_search(view, batch, exec, 2048).run();
    auto const rows_found = reinterpret_cast<std::uint32_t const*>(out.data());
    for (std::size_t i = 0; i < probes.size(); ++i) {
      auto const lower = std::lower_bound(keys.begin(), keys.end(), probes[i]);
      auto const upper = std::upper_bound(lower, keys.end(), probes[i]);
      auto const row_of = [&](auto at) { return rows[static_cast<std::size_t>(at - keys.begin())]; };
      bool right = false;
      switch (op) {
        case search_op::find: right = rows_found[i] == (lower != upper ? row_of(lower) : none); break;
        case search_op::contains: right = reinterpret_cast<bool const*>(out.data())[i] == (lower != upper); break;
        case search_op::lower_bound: right = out[i] == static_cast<std::uint64_t>(lower - keys.begin()); break;
        case search_op::upper_bound: right = out[i] == static_cast<std::uint64_t>(upper - keys.begin()); break;
        case search_op::floor:
          if (upper == keys.begin()) right = rows_found[i] == none;
          else
            right = found[i] == upper[-1] && rows_found[i] == row_of(std::lower_bound(keys.begin(), upper, upper[-1]));
          break;
        case search_op::ceil:
          if (lower == keys.end()) right = rows_found[i] == none;
          else right = found[i] == *lower && rows_found[i] == row_of(lower);
          break;
        default: break;
      }
      if (!right) FAIL() << "operation " << static_cast<int>(op) << ", probe " << i;
    }
  }
}

template <class Key> void expect_right_on_all_shapes() {
  for (int const threads : {1, 0}) {
    if (under_sanitizer && threads == 1) continue;
    for (std::uint64_t const size : {1u, 2u, 1000u, 50000u}) {
      SCOPED_TRACE(testing::Message() << size << " keys, " << threads << " threads");
      auto const check = [&](char const* shape, auto const& key_of) {
        SCOPED_TRACE(shape);
        if (!testing::Test::HasFatalFailure()) expect_right(sorted_keys<Key>(size, key_of), threads);
      };
      check("random", scrambled);
      check("dense", [](std::uint64_t i) { return 17 + i; });
      check("equal", [](std::uint64_t) { return 42; });
      check("repeated", [](std::uint64_t i) { return scrambled(i / 5); });
      check("up to the largest", [](std::uint64_t i) { return ~i; });
      check("two clusters", [](std::uint64_t i) { return i % 2 == 0 ? i : ~i; });
    }
  }
}

TEST(cpu_window, answers_keys_of_4_bytes) { expect_right_on_all_shapes<std::uint32_t>(); }
TEST(cpu_window, answers_keys_of_8_bytes) { expect_right_on_all_shapes<std::uint64_t>(); }

TEST(cpu_window, answers_keys_of_16_bytes) { expect_right_on_all_shapes<u128>(); }

TEST(cpu_window, buckets_may_have_neither_entries_nor_probes) {
  auto const keys = sorted_keys<std::uint64_t>(50000, [](std::uint64_t i) { return i % 2 == 0 ? i : ~i; });
  std::vector<std::uint32_t> rows(keys.size());
  for (std::uint32_t i = 0; i < rows.size(); ++i) rows[i] = i;
  sorted_array<pairs_of<std::uint64_t>> const view({keys.data(), rows.data()}, keys.size());
  std::vector<std::uint32_t> out(keys.size());
  execution const exec(host_memory(), {}, 1);
  point_batch const batch{search_op::find, codec_of(key_type::u64), keys.data(), keys.size(), out.data(), nullptr};
  window_search(view, batch, exec).run();
  EXPECT_EQ(out, rows);
}

TEST(cpu_window, slow_chosen_for_large_batches_over_large_indexes) {
  using namespace cpu::tuning;
  policy const open;
  std::uint64_t const size = window_from_probes * window_entries_per_probe;
  for (bool const in_cache : {true, false}) {
    std::uint64_t const bytes = in_cache ? window_from_bytes : window_from_bytes_in_flights;
    EXPECT_TRUE(in_windows(in_cache, size, bytes, window_from_probes, open));
    EXPECT_FALSE(in_windows(in_cache, size, bytes - 1, window_from_probes, open));
    EXPECT_FALSE(in_windows(in_cache, size, bytes, window_from_probes - 1, open));
    EXPECT_FALSE(in_windows(in_cache, size + window_entries_per_probe, bytes, window_from_probes, open));
  }
}

TEST(cpu_window, not_chosen_for_trees_over_strings) {
  EXPECT_FALSE(window_search<radix_tree<byte_pairs<std::uint32_t>>>::pays);
  EXPECT_TRUE(window_search<sorted_bytes<>>::pays);
  EXPECT_TRUE((window_search<radix_tree<soa_pairs<u128, std::uint32_t>>>::pays));
}

TEST(cpu_window, chosen_as_the_spec_says) {
  policy window, none;
  window.reorder = policy::reordering::window;
  none.reorder = policy::reordering::none;
  EXPECT_TRUE(in_windows(false, 10, 120, 1, window));
  EXPECT_FALSE(in_windows(false, 10, 120, 0, window));
  EXPECT_FALSE(in_windows(false, 0, 0, 1, window));
  EXPECT_FALSE(in_windows(false, std::uint64_t{1} << 30, std::uint64_t{1} << 34, std::uint64_t{1} << 24, none));
}

TEST(cpu_window, not_needed_if_there_is_no_memory) {
  auto const keys = sorted_keys<std::uint64_t>(50000, scrambled);
  index const built = index::build("AO+BS/reorder=window", std::span(keys), execution());
  limited_memory scarce(host_memory());
  scarce.limit = 1000;
  std::vector<std::uint32_t> rows(keys.size());
  built.find(std::span(keys), std::span(rows), execution(scarce));
  for (std::uint32_t i = 0; i < rows.size(); ++i) ASSERT_EQ(rows[i], i);
}

}  // namespace
}  // namespace warpdex::test
