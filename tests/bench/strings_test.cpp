// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/strings.hpp"

#include "bench/lookup.hpp"
#include "run_bench.hpp"
#include "support/folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace warpdex::bench {
namespace {

using strings = key_set<std::string_view>;

constexpr string_shape shapes[] = {string_shape::random16, string_shape::decimal, string_shape::urls,
                                   string_shape::tuples,   string_shape::nested,  string_shape::words};
constexpr char const* names[] = {"random16", "decimal", "urls", "tuples", "nested", "words"};

TEST(bench_strings, rows_are_known) {
  for (auto const shape : shapes) {
    auto const set = strings::generate(shape, 3000, 7, 100);
    ASSERT_EQ(set.size(), 3000u);
    ASSERT_EQ(set.misses().size(), 100u);
    std::set<std::string_view> distinct;
    for (std::uint32_t i = 0; i < set.size(); ++i) {
      ASSERT_EQ(set.row(set.keys()[i]), i) << set.keys()[i];
      distinct.insert(set.keys()[i]);
    }
    EXPECT_EQ(distinct.size(), 3000u);
    for (auto const& miss : set.misses()) {
      EXPECT_EQ(set.row(miss), missing);
      EXPECT_EQ(distinct.count(miss), 0u);
    }
    for (auto const& other : {"", "x", "https://www.abcdefgh.com/abcdef/0123456789abcdeg", "18446744073709551616"})
      EXPECT_EQ(set.row(other), missing) << other;
  }
}

TEST(bench_strings, shapes_are_what_they_say) {
  string_source const random(string_shape::random16, 1), urls(string_shape::urls, 1), nested(string_shape::nested, 1);
  std::set<std::string> hosts;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    EXPECT_EQ(random(i).size, 16u);
    EXPECT_EQ(urls(i).size, 48u);
    hosts.emplace(std::string_view(urls(i)).substr(12, 8));
    if (i % 9 == 0) continue;
    EXPECT_TRUE(std::string_view(nested(i)).starts_with(nested(i - 1))) << i;
    EXPECT_LE(nested(i).size, string_source::longest);
  }
  string_source const words(string_shape::words, 1);
  std::set<std::string> some;
  for (std::uint64_t i = 0; i < 100'000; ++i) some.emplace(std::string_view(words(i)));
  EXPECT_EQ(some.size(), 100'000u);
  std::size_t begin_others = 0;
  for (auto word = some.begin(), next = std::next(word); next != some.end(); word = next++)
    begin_others += next->starts_with(*word) ? 1 : 0;
  EXPECT_GT(begin_others, 10'000u);
  EXPECT_EQ(std::string_view(words(0)), "ba");
  EXPECT_EQ(std::string_view(words(8 * 100 + 5)), "bebast") << "syllables 1 and 0, ending 5";
  for (char const* const other : {"bast ", "bb", "aa", "bax", "baba", "a", "Ba"})
    EXPECT_FALSE(words.element_of(other)) << other;
  EXPECT_GT(hosts.size(), 2900u);
  EXPECT_LE(hosts.size(), 3000u);
}

TEST(bench_strings, seeds_change_everything) {
  for (auto const shape : shapes) {
    auto const a = strings::generate(shape, 100, 1, 0), b = strings::generate(shape, 100, 1, 0);
    auto const c = strings::generate(shape, 100, 2, 0);
    EXPECT_TRUE(std::ranges::equal(a.keys(), b.keys()));
    EXPECT_FALSE(std::ranges::equal(a.keys(), c.keys()));
  }
}

TEST(bench_strings, packed_with_narrow_offsets) {
  std::vector<std::string_view> const some = {"a", "", "bcd"};
  packed_strings const packed(some);
  EXPECT_EQ(packed.bytes().size(), 4u);
  EXPECT_TRUE(std::ranges::equal(packed.narrow(), std::vector<std::uint32_t>{0, 1, 1, 4}));
  EXPECT_TRUE(packed.wide().empty());
}

constexpr char const* small = " --index AO+BS,AO+BS/rows=u64 --n 1000 --repeat 1 --threads 1,2 --backend cpu";

TEST(bench_strings, every_operation_of_every_shape) {
  for (std::string const keys : names) {
    for (auto const* op : {"find", "contains", "count", "retrieve", "lower_bound", "upper_bound", "floor", "ceil",
                           "prefix_count", "prefix_retrieve", "find_unordered", "longest_prefix"})
      EXPECT_EQ(
          of_kind(run("point" + std::string(small) + " --probes 500 --hit-rate 0.7 --ops " + op + " --keys " + keys +
                      (keys == "urls"      ? " --zipf 1.1"
                       : keys == "decimal" ? " --order near"
                                           : "")),
                  "index")
              .size(),
          4u)
          << op << keys;
    for (auto const* op : {"sum", "count", "retrieve"})
      EXPECT_EQ(
          of_kind(run("range" + std::string(small) + " --ranges 100 --ops " + op + " --keys " + keys), "index").size(),
          4u)
          << op << keys;
    EXPECT_EQ(of_kind(run("build" + std::string(small) + " --keys " + keys), "index").size(), 4u);
    EXPECT_EQ(of_kind(run("update --index AO+BS --n 500 --probes 100 --waves 2 --repeat 1 --threads 1 --backend cpu "
                          "--keys " +
                          keys),
                      "index")
                  .size(),
              4u);
  }
}

TEST(bench_strings, u128_in_order) {
  for (auto const* op : {"lower_bound", "upper_bound", "floor", "count"})
    EXPECT_EQ(
        of_kind(run("point" + std::string(small) + " --probes 500 --hit-rate 0.7 --key-type u128 --ops " + op), "index")
            .size(),
        4u);
  EXPECT_EQ(of_kind(run("range" + std::string(small) + " --ranges 100 --key-type u128"), "index").size(), 4u);
}

TEST(bench_strings, baselines) {
  auto const point = run("point" + std::string(small) + " --probes 500 --keys random16");
  auto const line = of_kind(point, "index").front();
  EXPECT_EQ(line["key_type"], "bytes");
  EXPECT_EQ(line["keys"], "random16");
  for (auto const* name : {"std::lower_bound@1", "std::lower_bound+huge_pages@2", "absl::btree_map@1"})
    EXPECT_TRUE(line["ratios"].contains(name)) << name;
  auto const built = of_kind(run("build" + std::string(small) + " --keys random16"), "index").front();
  EXPECT_TRUE(built["time_to_sort"].is_number());
  EXPECT_TRUE(built["ratios"].contains("tbb::parallel_sort@2"));
}

TEST(bench_strings, singular) {
  EXPECT_EQ(of_kind(run("point --index GRT,GRT(leaf=1) --n 500 --probes 300 --hit-rate 0.7 --keys urls --ops singular "
                        "--backend cpu --baselines none --repeat 1 --threads 1"),
                    "index")
                .size(),
            2u);
}

TEST(bench_strings, files) {
  test::folder const folder;
  std::ofstream(folder / "names.bytes") << "babbc";
  std::uint64_t const offsets[] = {0, 1, 2, 2, 3, 5};
  std::ofstream(folder / "names.offsets").write(reinterpret_cast<char const*>(offsets), sizeof offsets);
  for (auto const* op : {"find", "count", "retrieve", "floor", "prefix_count", "longest_prefix"})
    EXPECT_EQ(of_kind(run("point" + std::string(small) + " --probes 50 --hit-rate 0.5 --ops " + op + " --keys " +
                          (folder / "names.bytes").string()),
                      "index")
                  .size(),
              4u)
        << op;
}

TEST(bench_strings, no_keys_at_all) {
  for (auto const* bench : {"point", "range", "build"})
    EXPECT_EQ(of_kind(run(bench + std::string(" --index AO+BS --n 0 --repeat 1 --threads 1 --backend cpu --keys urls")),
                      "index")
                  .size(),
              1u);
}

TEST(bench_strings, usage_errors) {
  EXPECT_THROW(run("point --index AO+BS --key-type bytes --backend cpu"), usage_error);
  EXPECT_THROW(run("point --index AO+BS --key-type u32 --keys urls --backend cpu"), usage_error);
  for (auto const* op : {"prefix_count", "longest_prefix"})
    EXPECT_THROW(run("point --index AO+BS --n 10 --backend cpu --baselines none --ops " + std::string(op)),
                 unsupported);
  EXPECT_THROW(run("point --index AO+BS --keys urls --n 10 --hit-rate 0 --miss out --backend cpu"), usage_error);
  for (auto const* index : {"--index AO+BS --keys urls", "--index EO+BS", "--index GRT/layout=AoS"})
    EXPECT_THROW(run(std::string("point --n 10 --ops singular --backend cpu --baselines none ") + index), usage_error);
  EXPECT_THROW(run("point --index AO+BS --keys urls --copies 2"), usage_error);
}

TEST(bench_strings, wrong_answers_are_noticed) {
  std::vector<std::string_view> const keys = {"c", "a", "b"}, probes = {"a", "b", "c", "d"};
  execution const exec;
  placed<std::string_view> const placed_keys(keys, exec), placed_probes(probes, exec);
  auto const built = warpdex::index::build("AO+BS", placed_keys.keys(), exec);
  point_lookup<std::string_view> lookup(lookups::find, built, placed_probes, exec);
  expect_wrong_answers_noticed(lookup, {1, 2, 0, missing}, keys, exec);
}

}  // namespace
}  // namespace warpdex::bench
