// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "structures/hash_open/hash_plan.hpp"
#include "support/answers.hpp"
#include "support/backends.hpp"
#include "support/damaged_index.hpp"
#include "support/expect.hpp"
#include "support/folder.hpp"

#include <warpdex/search/hash_open.hpp>

#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <sstream>

/// @file
/// What the conformance tests of HT(open) do not reach: keys chosen to collide, how long searches are, and
/// tables that were damaged.
namespace warpdex::test {
namespace {

class hash_open_on : public testing::TestWithParam<backend_kind> {
 protected:
  /// The same answers as a sorted array, for the keys and for others beside them.
  template <class Key> void expect_right(std::string const& what, std::vector<Key> const& keys) {
    SCOPED_TRACE(what + ", " + std::to_string(sizeof(Key) * 8) + " bits");
    std::vector<Key> probes = keys;
    for (std::size_t i = 0; i < keys.size(); i += 3) probes.push_back(keys[i] + 1);
    for (std::size_t i = 0; i < keys.size(); i += 3) probes.push_back(unmix(static_cast<Key>(mix(keys[i], 0) + 1), 0));
    auto const questions = all_questions(probes, false);
    auto const expected = ask_all(questions, index::build("AO+BS", std::span(keys), host_), host_);
    for (char const* const spec : {"HT(open,load=0.5)", "HT(open)", "HT(open,load=0.95)", "HT(open)/layout=SoA"}) {
      SCOPED_TRACE(spec);
      index const table = index::build(spec, std::span(keys), exec_);
      table.verify(exec_);
      EXPECT_EQ(ask_all(questions, table, exec_), expected);
    }
  }

  template <class Key> void expect_all_right() {
    using key_maker = std::function<std::uint64_t(std::uint64_t)>;
    constexpr std::uint64_t n = 3000;
    std::pair<char const*, key_maker> const makers[] = {
        {"all equal", [](std::uint64_t) { return 77; }},
        {"ascending", [](std::uint64_t i) { return i; }},
        {"step 12345", [](std::uint64_t i) { return i * 12345; }},
        {"step 2^8", [](std::uint64_t i) { return i << 8; }},
        {"step 2^20", [](std::uint64_t i) { return i << 20; }},
        {"step 2^52", [](std::uint64_t i) { return i << 52; }},
        {"lowest hashes", [](std::uint64_t i) { return unmix(static_cast<Key>(i), 0); }},
        {"highest hashes", [](std::uint64_t i) { return unmix(static_cast<Key>(-1 - i), 0); }},
        {"one home", [](std::uint64_t i) { return unmix(static_cast<Key>(static_cast<Key>(-1) / 2 + i), 0); }},
        {"two homes, twice", [](std::uint64_t i) { return unmix(static_cast<Key>((i % 3 << 28) + i / 2), 0); }},
        {"lowest hashes of two seeds",
         [](std::uint64_t i) {
           std::uint64_t const seed = hash_plan::seed_of(i % 2);
           return unmix(static_cast<Key>(i), seed);
         }},
    };
    for (auto const& [what, maker] : makers) {
      std::vector<Key> keys(n);
      for (std::uint64_t i = 0; i < n; ++i) keys[i] = static_cast<Key>(maker(i));
      expect_right(what, keys);
    }
  }

  folder folder_;
  execution host_{host_memory(), {}, 1};
  test_stream stream_{GetParam()};
  execution exec_{memory_of(GetParam()), stream_, 2};
};

TEST_P(hash_open_on, hostile_keys_of_32_bits) { expect_all_right<std::uint32_t>(); }
TEST_P(hash_open_on, hostile_keys_of_64_bits) { expect_all_right<std::uint64_t>(); }

/// Whoever knows all seeds gets an error, not a slow table.
TEST_P(hash_open_on, keys_that_collide_under_every_seed) {
  std::vector<std::uint64_t> keys;
  for (unsigned attempt = 0; attempt < hash_plan::attempts; ++attempt)
    for (std::uint64_t i = 0; i < 1000; ++i) keys.push_back(unmix(i, hash_plan::seed_of(attempt)));
  EXPECT_TRUE(throws<unsupported>([&] { index::build("HT(open)", std::span(keys), exec_); }, "8000 keys collide",
                                  "AO+PB+KS(9)"));
  keys.resize(7000);
  expect_right("under every seed but the last", keys);
}

TEST_P(hash_open_on, the_end_of_the_hashes_is_a_key_like_others) {
  std::uint32_t const last = unmix(0xffffffffu, 0);
  std::uint32_t const before_last = unmix(0xfffffffeu, 0);
  for (std::vector<std::uint32_t> const& keys :
       {std::vector<std::uint32_t>{last}, {before_last}, {last, before_last}, {last, last}, {before_last, before_last}})
    expect_right("ends", keys);
  std::vector<std::uint32_t> const one = {before_last};
  std::vector<std::uint32_t> rows(1);
  index::build("HT(open)", std::span(one), exec_).find(std::span(&last, 1), std::span(rows), exec_);
  EXPECT_EQ(rows[0], no_row<std::uint32_t>);
}

TEST_P(hash_open_on, sizes) {
  std::vector<std::uint32_t> keys(100000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = static_cast<std::uint32_t>(i * 2654435761u);
  auto const bytes = [&](char const* spec) { return index::build(spec, std::span(keys), exec_).memory().total(); };
  EXPECT_NEAR(static_cast<double>(bytes("HT(open)")), 1e6, 2000);
  EXPECT_NEAR(static_cast<double>(bytes("HT(open,load=0.5)")), 1.6e6, 2000);
  std::fill(keys.begin(), keys.end(), 5u);
  EXPECT_LT(bytes("HT(open)"), 400100u);  // the row ids, and one key
}

/// Places come from a scan, whoever computes it.
TEST_P(hash_open_on, tables_are_the_same_everywhere) {
  auto const content = [&](execution const& exec, std::string const& spec, auto const& keys) {
    auto const path = folder_ / "index.wdx";
    index::build(spec, std::span(keys), exec).save(path);
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
  };
  std::vector<std::uint32_t> distinct(200000);
  std::vector<std::uint64_t> repeated(200000);
  for (std::size_t i = 0; i < distinct.size(); ++i) distinct[i] = static_cast<std::uint32_t>(i * 2654435761u);
  for (std::size_t i = 0; i < repeated.size(); ++i) repeated[i] = i * i % 99991;
  for (char const* const spec : {"HT(open)", "HT(open)/layout=SoA", "HT(open,load=0.95)/layout=packed/rows=u64"}) {
    EXPECT_TRUE(content(exec_, spec, distinct) == content(host_, spec, distinct)) << spec;
    EXPECT_TRUE(content(exec_, spec, repeated) == content(host_, spec, repeated)) << spec;
  }
}

INSTANTIATE_TEST_SUITE_P(all, hash_open_on, testing::ValuesIn(present_backends()), backend_name);

template <class Key> std::vector<Key> spread_keys(std::uint64_t n) {
  std::vector<Key> keys(n);
  for (std::uint64_t i = 0; i < n; ++i) keys[i] = static_cast<Key>(i * 0x9e3779b97f4a7c15ull >> (64 - sizeof(Key) * 8));
  return keys;
}

using view_t = hash_open<aos_pairs<std::uint32_t, std::uint32_t>>;

/// Buckets that the searches for `probes` visit, on average.
double visits(view_t const& view, std::vector<std::uint32_t> const& probes) {
  std::uint64_t visited = 0;
  for (std::uint32_t const key : probes) {
    auto at = view.start(key);
    do ++visited;
    while (!view.visit(single_lane{}, at));
  }
  return static_cast<double>(visited) / static_cast<double>(probes.size());
}

TEST(hash_open_view, searches_are_short) {
  constexpr std::uint64_t n = 100000;
  auto const keys = spread_keys<std::uint32_t>(2 * n);
  std::vector<std::uint32_t> const present(keys.begin(), keys.begin() + n);
  std::vector<std::uint32_t> const absent(keys.begin() + n, keys.end());
  for (auto const& [spec, hit, miss] :
       {std::tuple("HT(open,load=0.5)", 1.05, 1.05), {"HT(open)", 1.4, 1.4}, {"HT(open,load=0.95)", 3.0, 3.0}}) {
    index const table = index::build(spec, std::span(present), execution());
    auto const view = table.view<view_t>();
    EXPECT_LT(visits(view, present), hit) << spec;
    EXPECT_LT(visits(view, absent), miss) << spec;
  }
}

TEST(hash_open_view, in_a_loop_of_the_users_own) {
  std::vector<std::uint32_t> const keys = {30, 10, 20, 10};
  index const table = index::build("HT(open)", std::span(keys), execution());
  auto const view = table.view<view_t>();
  EXPECT_EQ(find(view, 10), 1u);
  EXPECT_EQ(find(view, 30), 0u);
  EXPECT_EQ(find(view, 11), no_row<std::uint32_t>);
  std::vector<std::uint32_t> rows;
  for_each_row(view, 10, [&](std::uint32_t row) { rows.push_back(row); });
  for_each_row(view, 11, [&](std::uint32_t row) { rows.push_back(row); });
  EXPECT_EQ(rows, (std::vector<std::uint32_t>{1, 3}));
}

class damaged_table : public damaged_index {};

TEST_F(damaged_table, slots) {
  auto const keys = spread_keys<std::uint64_t>(1000);
  save("HT(open)/rows=u64", keys);
  struct pair {
    std::uint64_t key, row;
    bool taken() const { return row != no_row<std::uint64_t>; }
  };
  auto const first = [](std::span<pair> all, auto const& right) {
    std::size_t i = 0;
    while (!right(i)) ++i;
    EXPECT_LT(i, all.size());
    return i;
  };
  EXPECT_TRUE(is_found("pairs", on<pair>([&](std::span<pair> all) {  // a key in a place that is not its own
                         auto const i = first(all, [&](std::size_t s) { return all[s].taken(); });
                         all[i].key ^= std::uint64_t{1} << 63;
                       })));
  EXPECT_TRUE(is_found("pairs", on<pair>([&](std::span<pair> all) {  // two keys of a bucket exchanged
                         auto const i = 2 * first(all, [&](std::size_t b) {
                                          return all[2 * b].taken() && all[2 * b + 1].taken();
                                        });
                         std::swap(all[i], all[i + 1]);
                       })));
  EXPECT_TRUE(is_found("pairs", on<pair>([&](std::span<pair> all) {  // the last key of a bucket lost
                         auto const i = 2 * first(all, [&](std::size_t b) { return all[2 * b + 1].taken(); }) + 1;
                         all[i] = {~std::uint64_t{0}, no_row<std::uint64_t>};
                       })));
  EXPECT_TRUE(is_found("pairs", on<pair>([&](std::span<pair> all) {  // a bucket lost with all its keys
                         auto const i = 2 * first(all, [&](std::size_t b) {
                                          return all[2 * b].taken() && all[2 * b + 1].taken();
                                        });
                         all[i] = all[i + 1] = {~std::uint64_t{0}, no_row<std::uint64_t>};
                       })));
  EXPECT_TRUE(is_found("pairs", on<pair>([&](std::span<pair> all) {  // an empty slot that would not end a search
                         auto const i = first(all, [&](std::size_t s) { return !all[s].taken(); });
                         all[i].key = 0;
                       })));
  EXPECT_TRUE(is_found("pairs", on<pair>([&](std::span<pair> all) {  // a key twice
                         auto const i = 2 * first(all, [&](std::size_t b) {
                                          return all[2 * b].taken() && !all[2 * b + 1].taken();
                                        });
                         all[i + 1] = all[i];
                       })));
}

TEST_F(damaged_table, numbers) {
  save("HT(open)", spread_keys<std::uint32_t>(1000));
  for (std::size_t i = 1; i < 4; ++i) {  // another seed makes a table of other keys
    for (std::uint64_t const change : {1ull, 1ull << 40, 1ull << 63}) {
      EXPECT_TRUE(is_found("table", on<std::uint64_t>([&](std::span<std::uint64_t> all) { all[i] ^= change; })))
          << i << " " << change;
      EXPECT_TRUE(is_found("table", on<std::uint64_t>([&](std::span<std::uint64_t> all) { all[i] += change; })))
          << i << " " << change;
    }
  }
  EXPECT_TRUE(is_found("table", [](bytes& b) { b.pop_back(); }));
  EXPECT_TRUE(is_found("pairs", [](bytes& b) { b.pop_back(); }));
}

TEST_F(damaged_table, groups) {
  auto keys = spread_keys<std::uint32_t>(1000);
  for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = keys[i % 300];
  save("HT(open)", keys);
  // Groups are of 3 or 4 rows: number of rows, rows.
  auto const changes = {
      std::function([](std::span<std::uint32_t> all) { ++all[0]; }),
      std::function([](std::span<std::uint32_t> all) { all[0] = 0; }),
      std::function([](std::span<std::uint32_t> all) { all[0] = 0xffffffff; }),
      std::function([](std::span<std::uint32_t> all) { std::swap(all[1], all[2]); }),
      std::function([](std::span<std::uint32_t> all) { all[all[0]] = no_row<std::uint32_t>; }),
      std::function([](std::span<std::uint32_t> all) { std::swap(all[0], all[all[0] + 1]), all[1] = 1000; }),
  };
  for (auto const& change : changes) EXPECT_TRUE(is_found("groups", on<std::uint32_t>(change)));
  EXPECT_TRUE(is_found("pairs", on<std::uint32_t>([](std::span<std::uint32_t> all) {
                         for (std::size_t i = 1; i < all.size(); i += 2)
                           if (all[i] != no_row<std::uint32_t>) return void(++all[i]);  // the first group's place
                       })));
  EXPECT_TRUE(is_found("groups", [](bytes& b) { b.resize(b.size() - 4); }));
}

}  // namespace
}  // namespace warpdex::test
