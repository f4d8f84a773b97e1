// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/arrays.hpp"
#include "support/backends.hpp"

#include <warpdex/index.hpp>
#include <warpdex/search/hash_buckets.hpp>
#include <warpdex/search/hash_open.hpp>

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

/// @file
/// Batches that change a hash table in place, against an ordered map.
namespace warpdex::test {
namespace {

template <class Key> struct model {
  std::map<Key, std::uint32_t> entries;
  std::mt19937_64 random{11};

  /// Of 16 bytes, both halves are the same.
  Key drawn() {
    std::uint64_t const x = random();
    return static_cast<Key>(u128{x} << 64 | x);
  }
  Key any_key() {
    if (entries.empty() || random() % 2 == 0) return drawn();
    auto const at = entries.lower_bound(drawn());
    return at == entries.end() ? entries.begin()->first : at->first;
  }
  std::set<Key> some_keys(std::size_t count) {
    std::set<Key> keys;
    while (keys.size() < count) keys.insert(any_key());
    return keys;
  }
};

class hash_update : public testing::TestWithParam<std::tuple<std::string, backend_kind>> {
 protected:
  std::string const spec_ = std::get<0>(GetParam());
  test_stream const stream_{std::get<1>(GetParam())};
  execution const exec_{memory_of(std::get<1>(GetParam())), stream_, 2};

  /// Expects that the table has the content of the model.
  template <class Key> void expect_model(index const& table, model<Key>& of) {
    ASSERT_EQ(table.size(), of.entries.size());
    table.verify(exec_);
    std::vector<Key> probes;
    for (auto const& [key, row] : of.entries) {
      probes.push_back(key);
      probes.push_back(static_cast<Key>(key + 1));
    }
    for (int i = 0; i < 1000; ++i) probes.push_back(of.drawn());
    std::vector<std::uint32_t> rows(probes.size());
    table.find(std::span(probes), std::span(rows), exec_);
    for (std::size_t i = 0; i < probes.size(); ++i) {
      auto const at = of.entries.find(probes[i]);
      ASSERT_EQ(rows[i], at == of.entries.end() ? no_row<std::uint32_t> : at->second)
          << "probe " << static_cast<std::uint64_t>(probes[i]);
    }
  }

  /// Inserts `add`, erases `remove`, each distinct keys; with `assigns`, `add` replaces.
  template <class Key>
  void change(index& table, model<Key>& of, std::set<Key> const& add, std::set<Key> const& remove, bool assigns) {
    std::vector<Key> const inserted(add.begin(), add.end());
    std::vector<Key> const erased(remove.begin(), remove.end());
    std::vector<std::uint32_t> rows;
    for (std::size_t i = 0; i < inserted.size(); ++i) rows.push_back(static_cast<std::uint32_t>(of.random() >> 33));
    if (assigns) table.insert_or_assign(std::span(inserted), std::span(rows), exec_);
    else table.update(std::span(inserted), std::span(rows), std::span(erased), exec_);
    for (Key const key : erased) of.entries.erase(key);
    for (std::size_t i = 0; i < inserted.size(); ++i) of.entries[inserted[i]] = rows[i];
  }

  struct shape {
    std::uint64_t homes, units, seed;
    bool has_lists;
  };
  template <class Pairs> shape shape_of(index const& table) const {
    auto const shape_in = [](auto const& view) {
      return shape{view.homes, view.units, view.seed, view.lists.marks != nullptr};
    };
    if (spec_.starts_with("HT(open")) return shape_in(table.view<hash_open<Pairs>>());
    return shape_in(table.view<hash_buckets<Pairs>>());
  }

  template <class Key, layout Layout> void run() {
    using Pairs =
        std::conditional_t<Layout == layout::soa, soa_slots<Key, std::uint32_t>, aos_pairs<Key, std::uint32_t>>;
    model<Key> of;
    for (std::uint32_t i = 0; i < 20000; ++i) of.entries[of.drawn()] = i;
    of.entries[0] = 1;
    of.entries[static_cast<Key>(-1)] = 2;
    std::vector<Key> keys;
    std::vector<std::uint32_t> rows;
    for (auto const& [key, row] : of.entries) {
      keys.push_back(key);
      rows.push_back(row);
    }
    index table = index::build(spec_, std::span(keys), std::span(rows), exec_);
    int in_place = 0;
    for (int batch = 0; batch < 300; ++batch) {
      std::set<Key> add;
      std::set<Key> remove;
      bool const assigns = batch % 3 == 0;
      if (assigns) add = of.some_keys(1 + of.random() % 150);
      // In three hundred batches the table grows, then shrinks.
      for (std::size_t i = 0; !assigns && i < (batch < 150 ? 150u : 10u); ++i) {
        auto const key = of.drawn();
        if (!of.entries.contains(key)) add.insert(key);
      }
      if (batch % 3 == 1) remove = of.some_keys(batch < 150 ? 20 : 150);
      for (Key const key : add) remove.erase(key);
      std::uint64_t const before = shape_of<Pairs>(table).homes;
      change(table, of, add, remove, assigns);
      in_place += shape_of<Pairs>(table).homes == before;  // a rebuilt table has another number of homes
      if (batch % 25 == 0) {
        ASSERT_NO_FATAL_FAILURE(expect_model(table, of)) << "batch " << batch;
      }
    }
    ASSERT_NO_FATAL_FAILURE(expect_model(table, of));
    // In buckets of two slots entries are farther from home, and at load 0.95 not all batches fit in place.
    EXPECT_GT(in_place, hash_open<Pairs>::slots > 2 ? 250 : 150);
    // A few keys that share a home are inserted in place; many do not fit.
    for (Key const many : {3, 40, 300}) {
      std::set<Key> add;
      for (Key i = 0; i < many; ++i) {
        auto const key = unmix(static_cast<Key>(static_cast<Key>(-1) / 5 + i), shape_of<Pairs>(table).seed);
        if (!of.entries.contains(key)) add.insert(key);
      }
      change(table, of, add, {}, false);
      ASSERT_NO_FATAL_FAILURE(expect_model(table, of)) << static_cast<int>(many);
    }
    ASSERT_NO_FATAL_FAILURE(expect_lists_come_and_go<Pairs>(table, of));
  }

  /// A key that repeats needs a row list. Once no key repeats, the table is as if none ever had, and is updated in
  /// place.
  template <class Pairs, class Key> void expect_lists_come_and_go(index& table, model<Key>& of) {
    std::vector<Key> const twice = {of.entries.begin()->first, of.entries.rbegin()->first};
    std::vector<std::uint32_t> const more = {no_row<std::uint32_t> - 1, no_row<std::uint32_t> - 2};
    auto const expect_counts = [&](std::uint64_t count) {
      ASSERT_EQ(table.size(), of.entries.size() + 2 * (count - 1));
      table.verify(exec_);
      std::vector<std::uint64_t> counts(2);
      table.count(std::span(twice), std::span(counts), exec_);
      EXPECT_EQ(counts, std::vector<std::uint64_t>(2, count));
      EXPECT_EQ(shape_of<Pairs>(table).has_lists, count > 1);
    };
    for (std::uint64_t const copies : {2, 3}) {
      table.insert(std::span(twice), std::span(more), exec_);
      ASSERT_NO_FATAL_FAILURE(expect_counts(copies));
    }
    std::vector<std::uint32_t> rows(2);
    table.find(std::span(twice), std::span(rows), exec_);
    EXPECT_EQ(rows[0], of.entries.begin()->second);
    EXPECT_EQ(rows[1], of.entries.rbegin()->second);

    table.insert_or_assign(std::span(twice), std::span(more), exec_);
    of.entries.begin()->second = more[0];
    of.entries.rbegin()->second = more[1];
    ASSERT_NO_FATAL_FAILURE(expect_counts(1));
    ASSERT_NO_FATAL_FAILURE(expect_model(table, of));
    std::uint64_t const homes = shape_of<Pairs>(table).homes;
    change(table, of, {}, {of.entries.begin()->first}, false);
    EXPECT_EQ(shape_of<Pairs>(table).homes, homes);
    ASSERT_NO_FATAL_FAILURE(expect_model(table, of));
  }
};

TEST_P(hash_update, batches_of_32_bit_keys) {
  if (spec_.ends_with("SoA")) run<std::uint32_t, layout::soa>();
  else run<std::uint32_t, layout::aos>();
}
TEST_P(hash_update, slow_batches_of_64_bit_keys) {
  if (spec_.ends_with("SoA")) run<std::uint64_t, layout::soa>();
  else run<std::uint64_t, layout::aos>();
}

TEST_P(hash_update, batches_of_128_bit_keys) {
  if (spec_.starts_with("HT(buckets")) GTEST_SKIP() << "takes no keys of 16 bytes";
  run<u128, layout::soa>();
}

/// Keys come and go, and their number stays the same: freed nodes are used again.
TEST_P(hash_update, slow_thousands_of_batches_in_the_same_memory) {
  using pairs = aos_pairs<std::uint64_t, std::uint32_t>;
  if (spec_.ends_with("SoA")) GTEST_SKIP() << "one layout is enough";
  model<std::uint64_t> of;
  for (std::uint32_t i = 0; i < 3000; ++i) of.entries[of.random()] = i;
  std::vector<std::uint64_t> keys;
  std::vector<std::uint32_t> rows;
  for (auto const& [key, row] : of.entries) {
    keys.push_back(key);
    rows.push_back(row);
  }
  index table = index::build(spec_, std::span(keys), std::span(rows), exec_);
  int made_anew = 0;
  std::uint64_t largest = 0;
  bool const on_host = std::get<1>(GetParam()) == backend_kind::cpu;
  for (int batch = 0; batch < (on_host ? 2000 : 300); ++batch) {
    std::set<std::uint64_t> remove;
    std::set<std::uint64_t> add;
    std::size_t const count = 1 + of.random() % 20;
    while (remove.size() < count) {
      auto const at = of.entries.lower_bound(of.random());
      if (at != of.entries.end()) remove.insert(at->first);
    }
    while (add.size() < count) add.insert(of.random());
    auto const before = shape_of<pairs>(table);
    change(table, of, add, remove, false);
    auto const after = shape_of<pairs>(table);
    made_anew += after.homes != before.homes;
    largest = std::max(largest, after.units);
    table.verify(exec_);
    ASSERT_EQ(table.size(), of.entries.size());
    if (batch % 100 == 0) {
      ASSERT_NO_FATAL_FAILURE(expect_model(table, of)) << "batch " << batch;
    }
  }
  EXPECT_NO_FATAL_FAILURE(expect_model(table, of));
  EXPECT_EQ(made_anew, 0);
  EXPECT_LT(largest, shape_of<pairs>(index::build(spec_, std::span(keys), exec_)).units * 3 / 2);
}

INSTANTIATE_TEST_SUITE_P(all, hash_update,
                         testing::Combine(testing::Values("HT(open,load=0.5)", "HT(open)", "HT(open,load=0.95)",
                                                          "HT(open)/layout=SoA", "HT(buckets,load=0.5)", "HT(buckets)",
                                                          "HT(buckets,load=4)", "HT(buckets,load=1.5)/layout=SoA"),
                                          testing::ValuesIn(present_backends())),
                         sample_and_backend_name);

}  // namespace
}  // namespace warpdex::test
