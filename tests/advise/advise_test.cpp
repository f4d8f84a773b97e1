// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/advise.hpp>
#include <warpdex/index.hpp>

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <utility>
#include <vector>

#include "advise/bucket_cost.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"
#include "support/folder.hpp"

namespace warpdex::test {
namespace {

std::string advised(char const* text, std::uint64_t n, backend_kind backend) {
  return advise(workload_of(spec(text)), key_type::u32, row_type::u32, n, backend).spec;
}

std::string resolved(std::string const& text, std::uint64_t n, backend_kind backend) {
  return resolve(spec(text), key_type::u32, row_type::u32, n, backend);
}

/// A structure with K = 5, or in builds without K = 5 with the next fan-out, K = 9.
std::string of_five(std::string const& name) { return name + (has_fanout(5) ? "(5)" : "(9)"); }

constexpr std::uint64_t small = 1 << 20, large = 1 << 28;

TEST(slow_advise, reads_a_workload) {
  workload const none = workload_of("auto");
  EXPECT_FALSE(none.points || none.ranges || none.order || none.least_memory || none.rebuilds);
  EXPECT_EQ(none.batch, 1u << 24);
  EXPECT_TRUE(workload_of("auto(rays,hits=2^5)").rays);
  EXPECT_EQ(workload_of("auto(rays,hits=2^5)").hits, 32u);
  workload const all = workload_of("AUTO(Points,ranges,ORDER,least_memory,rebuilds,Batch=2^10)/layout=AoS");
  EXPECT_TRUE(all.points && all.ranges && all.order && all.least_memory && all.rebuilds);
  EXPECT_EQ(all.batch, 1024u);
  EXPECT_EQ(workload_of("auto(batch=1000)").batch, 1000u);
  EXPECT_EQ(workload_of("auto(batch=2^48)").batch, std::uint64_t{1} << 48);
}

TEST(slow_advise, refuses_unknown_workloads) {
  auto const refuses = [](char const* text, char const* part) {
    EXPECT_TRUE(throws<spec_error>([&] { workload_of(text); }, part)) << text;
    EXPECT_TRUE(throws<spec_error>([&] { resolved(text, small, backend_kind::cpu); }, part)) << text;
  };
  refuses("auto(rangs)", "unknown workload 'rangs'; did you mean ranges?");
  refuses("auto(points,least-memory)", "did you mean least_memory?");
  refuses("auto(zebra)", "known are points, ranges, order, least_memory, rebuilds, rays");
  refuses("auto(batch)", "unknown workload 'batch'");
  refuses("auto(levels=3)", "auto does not take this argument");
  refuses("auto(batch=2^x)", "no number");
  refuses("auto(batch=2^49)", "expected a number from 0 to 48");
  refuses("auto(batch=0)", "expected a number from 1");
  EXPECT_TRUE(throws<spec_error>([] { workload_of("AO+BS"); }, "only auto takes a workload"));
}

TEST(slow_advise, gpu) {
  auto const gpu = [](char const* text, std::uint64_t n) { return advised(text, n, backend_kind::cuda); };
  for (std::uint64_t const n : {std::uint64_t{0}, small, large}) {
    for (char const* const text : {"auto", "auto(points,order)", "auto(rebuilds)", "auto(least_memory)",
                                   "auto(ranges,least_memory,order)", "auto(order,least_memory,batch=1)"})
      EXPECT_EQ(gpu(text, n), "AO+BS") << text << " " << n;
    EXPECT_EQ(gpu("auto(ranges)", n), "AO+PB+KS(9)");
    EXPECT_EQ(gpu("auto(ranges,batch=1000)", n), "AO+PB+KS(9)");
    EXPECT_EQ(gpu("auto(points,ranges,rebuilds)", n), "AO+PB+KS(9)");
    EXPECT_EQ(gpu("auto(points,ranges,batch=1000)", n), "AO+PB+KS(9)");
    EXPECT_EQ(gpu("auto(least_memory,batch=1000)", n), "EO+KS(9)");
    EXPECT_EQ(gpu("auto(rebuilds,batch=1000)", n), of_five("AO+PB+KS"));
  }
  EXPECT_EQ(gpu("auto(batch=2^16)", small), of_five("EO+KS"));
  EXPECT_EQ(gpu("auto(order,batch=2^16)", small), of_five("AO+PB+KS"));
  EXPECT_EQ(gpu("auto(batch=2^16)", large), "AO+PB+KS(9)");
  EXPECT_EQ(gpu("auto(order,batch=2^16)", large), "AO+PB+KS(9)");
  EXPECT_EQ(gpu("auto(batch=2^20)", small), "AO+BS");
  EXPECT_EQ(gpu("auto(batch=2^20)", large), "AO+PB+KS(9)") << "one probe for 256 entries";
  EXPECT_EQ(gpu("auto(batch=2^21)", large), "AO+BS");
  // 2^22 pairs of 8 bytes stay in the L2 cache, or 2^21 pairs of 16 bytes.
  EXPECT_EQ(gpu("auto(batch=1)", 1 << 22), of_five("EO+KS"));
  EXPECT_EQ(gpu("auto(batch=1)", (1 << 22) + 1), "AO+PB+KS(9)");
  workload single;
  single.batch = 1;
  EXPECT_EQ(advise(single, key_type::f64, row_type::u64, 1 << 21, backend_kind::cuda).spec, of_five("EO+KS"));
  EXPECT_EQ(advise(single, key_type::f64, row_type::u64, (1 << 21) + 1, backend_kind::cuda).spec, "AO+PB+KS(9)");
}

TEST(slow_advise, cpu) {
  for (std::uint64_t const n : {std::uint64_t{0}, small, large}) {
    EXPECT_EQ(advised("auto(points)", n, backend_kind::cpu), "HT(open)");
    EXPECT_EQ(advised("auto(points,order)", n, backend_kind::cpu), "AO+PB+KS(17)");
    for (char const* const text : {"auto", "auto(ranges)", "auto(order,batch=1)", "auto(points,ranges,rebuilds)"})
      EXPECT_EQ(advised(text, n, backend_kind::cpu), "AO+PB+KS(17)") << text;
    EXPECT_EQ(advised("auto(least_memory,ranges)", n, backend_kind::cpu), "EO+KS(17)");
    EXPECT_EQ(advised("auto(least_memory,order)", n, backend_kind::cpu), "AO+BS");
    EXPECT_EQ(advised("auto(least_memory,rebuilds)", n, backend_kind::cpu), "AO+BS");
  }
}

/// Every workload gets a spec that resolves, and a reason for each of its words.
TEST(slow_advise, always_gives_reasons) {
  std::vector<std::string> const words = {"points", "ranges", "order", "least_memory", "rebuilds", "rays", "batch=1"};
  for (unsigned set = 0; set < 1u << words.size(); ++set) {
    std::string text = "auto(batch=2^30";
    if ((set & 64) != 0) text = "auto(batch=1";
    for (unsigned i = 0; i < 6; ++i)
      if ((set >> i & 1) != 0) text += "," + words[i];
    text += ")";
    for (backend_kind const backend : {backend_kind::cpu, backend_kind::cuda}) {
      for (std::uint64_t const n : {std::uint64_t{0}, std::uint64_t{1000}, small, large}) {
        advice const a = advise(workload_of(text), key_type::u64, row_type::u32, n, backend);
        EXPECT_FALSE(a.reasons.empty()) << text;
        std::set<std::string> const different(a.reasons.begin(), a.reasons.end());
        EXPECT_EQ(different.size(), a.reasons.size()) << text;
        EXPECT_FALSE(different.contains("")) << text;
        EXPECT_EQ(resolve(spec(text), key_type::u64, row_type::u32, n, backend),
                  resolve(spec(a.spec), key_type::u64, row_type::u32, n, backend));
      }
    }
  }
}

TEST(slow_advise, auto_hands_options_on) {
  auto const gpu = [](std::string const& text) { return resolved(text, large, backend_kind::cuda); };
  EXPECT_EQ(gpu("auto(batch=1)"), gpu("AO+PB+KS(9)"));
  EXPECT_EQ(gpu("auto(batch=1)/layout=AoS/threads=512"), gpu("AO+PB+KS(9)/layout=AoS/threads=512"));
  EXPECT_EQ(gpu("auto(batch=1)/threads=512/lanes=8"), gpu("AO+PB+KS(9)/lanes=8/threads=512"));
  EXPECT_EQ(gpu("auto/reorder=window"), gpu("AO+BS/reorder=window"));
  EXPECT_TRUE(throws<spec_error>([&] { gpu("auto/layout=diagonal"); }, "diagonal"));
  EXPECT_TRUE(throws<spec_error>([&] { gpu("auto/lanes=4"); }, "lane"));
}

TEST(slow_advise, an_index_and_its_file_name_what_was_chosen) {
  std::vector<std::uint32_t> const keys = {30, 10, 20, 10};
  index const built = index::build("auto(order,least_memory)/layout=SoA", std::span(keys), execution());
  EXPECT_EQ(built.spec_text(), "AO+BS/layout=SoA/rows=u32");
  folder const files;
  built.save(files / "chosen.wdx");
  index const loaded = index::load(files / "chosen.wdx", execution());
  EXPECT_EQ(loaded.spec_text(), built.spec_text());
  std::vector<std::uint32_t> const probes = {20};
  std::vector<std::uint32_t> rows(1);
  loaded.find(std::span(probes), std::span(rows), execution());
  EXPECT_EQ(rows[0], 2u);
}

TEST(slow_advise, wide_keys_and_strings_have_a_structure) {
  for (backend_kind const backend : {backend_kind::cpu, backend_kind::cuda}) {
    for (char const* const text : {"auto", "auto(points,batch=2^10)", "auto(least_memory,rebuilds)"}) {
      advice const a = advise(workload_of(text), key_type::u128, row_type::u32, 1 << 20, backend);
      EXPECT_EQ(a.spec, "HT(open)");
      ASSERT_EQ(a.reasons.size(), 1u);
      EXPECT_EQ(resolve(text, key_type::u128, row_type::u32, 1 << 20, backend),
                "HT(open,load=0.8)/layout=SoA/rows=u32");
    }
    auto const chosen = [&](char const* text, key_type keys) {
      return advise(workload_of(text), keys, row_type::u32, 1 << 20, backend).spec;
    };
    for (key_type const keys : {key_type::u128, key_type::bytes}) {
      for (char const* const text : {"auto(ranges)", "auto(points,order)", "auto(order,least_memory)"})
        EXPECT_EQ(chosen(text, keys), "GRT");
      EXPECT_EQ(chosen("auto(ranges,rebuilds)", keys), "AO+BS");
    }
    EXPECT_EQ(chosen("auto", key_type::bytes), "GRT");
    EXPECT_EQ(chosen("auto(points)", key_type::bytes), "HT(open)");
    EXPECT_EQ(chosen("auto(points,least_memory)", key_type::bytes), "GRT");
    EXPECT_EQ(chosen("auto(rebuilds)", key_type::bytes), "AO+BS");
  }
  EXPECT_TRUE(throws<spec_error>(
      [] { advise(workload_of("auto(rays)"), key_type::u128, row_type::u32, 1 << 20, backend_kind::cpu); }, "u128"));
}

/// Milliseconds of 2^27 lookups in cgRX over 2^26 keys without windows, by the bucket (docs/papers/003.md, tables 10b
/// and 11), and how far the model may be away.
struct measured_buckets {
  key_type keys;
  std::uint64_t largest;
  double tolerance;
  std::vector<std::pair<std::uint64_t, double>> ms;
};

TEST(slow_advise, model_of_buckets_follows_measurements) {
  constexpr std::uint64_t n = 1 << 26;
  constexpr std::uint64_t all = ~std::uint64_t{0};
  measured_buckets const tables[] = {
      {key_type::u64, n - 1, .04, {{2, 20.22}, {4, 21.03}, {16, 21.34}, {64, 24.02}, {256, 28.83}}},
      {key_type::u64, all, .07, {{2, 23.48}, {4, 24.08}, {16, 26.84}, {64, 29.33}, {256, 32.73}}},
      {key_type::u64, all, .14, {{2, 22.56}, {4, 22.42}, {16, 25.23}, {64, 28.01}, {256, 31.49}}},  // half of it dense
      {key_type::u32, (std::uint64_t{1} << 32) - 1, .04, {{4, 15.63}, {16, 15.65}, {64, 19.86}, {256, 22.64}}}};
  for (auto const& table : tables) {
    column_profile column{table.keys, row_type::u32, n};
    column.largest = table.largest;
    index_shape const shape{table.keys, row_type::u32, n, backend_kind::cuda};
    double const pair = static_cast<double>(size_of(table.keys)) + 4;
    double least = 1e30;
    std::uint64_t best = 0;
    for (auto const& [bucket, ms] : table.ms) {
      auto const cost = cost_of_bucket({}, shape, &column, bucket);
      double const measured = ms * 1e9 / (1 << 27);
      EXPECT_NEAR(cost.picoseconds / measured, 1, table.tolerance) << bucket << " " << table.largest;
      if (measured * (pair + cost.bytes) < least) least = measured * (pair + cost.bytes), best = bucket;
    }
    EXPECT_EQ(best, 16u);
    EXPECT_EQ(advise(workload_of("auto(rays)"), column, backend_kind::cuda).spec, "cgRX(bucket=16)");
  }
}

/// Table 12: sums of ranges in cgRX(16) over 2^23 dense u32 keys, in picoseconds per entry.
TEST(slow_advise, model_of_buckets_follows_ranges) {
  column_profile column{key_type::u32, row_type::u32, 1 << 23};
  column.largest = (1 << 23) - 1;
  index_shape const shape{key_type::u32, row_type::u32, 1 << 23, backend_kind::cuda};
  for (auto const& [hits, measured] :
       {std::pair(1, 162.3), {4, 41.72}, {16, 10.81}, {64, 3.173}, {256, 1.305}, {1024, .7871}}) {
    workload w;
    w.ranges = true;
    w.hits = static_cast<std::uint64_t>(hits);
    EXPECT_NEAR(cost_of_bucket(w, shape, &column, 16).picoseconds / hits / measured, 1, .06) << hits;
  }
}

TEST(slow_advise, buckets_of_rays) {
  auto const bucket = [](char const* words, std::uint64_t n, key_type keys = key_type::u32) {
    auto const a = advise(workload_of(words), keys, row_type::u32, n, backend_kind::cuda);
    EXPECT_EQ(resolve(a.spec, keys, row_type::u32, n, backend_kind::cuda),
              resolve(spec(words), keys, row_type::u32, n, backend_kind::cuda));
    return a.spec;
  };
  EXPECT_EQ(bucket("auto(rays)", 1 << 26), "cgRX(bucket=16)");
  EXPECT_EQ(bucket("auto(rays)", 1 << 26, key_type::u64), "cgRX(bucket=16)");
  EXPECT_EQ(bucket("auto(rays,points)", 1 << 16), "cgRX(bucket=4)") << "the tracer is in the cache";
  EXPECT_EQ(bucket("auto(rays,ranges)", 1 << 26), "cgRX(bucket=16)");
  EXPECT_EQ(bucket("auto(rays,ranges,hits=2^14)", 1 << 26), "cgRX(bucket=64)") << "entries cost more than searches";
  EXPECT_EQ(bucket("auto(rays,least_memory)", 1 << 26), "cgRX(bucket=128)");
  EXPECT_EQ(bucket("auto(rays)", 0), "cgRX(bucket=4)");
  auto const on_cpu = advise(workload_of("auto(rays)"), key_type::f64, row_type::u32, 1000, backend_kind::cpu);
  EXPECT_NE(on_cpu.reasons.back().find("on a GPU"), std::string::npos);
}

TEST(slow_advise, bytes_of_a_tree_over_even_keys) {
  std::mt19937_64 random(3);
  for (std::uint64_t const n : {1 << 4, 1 << 12, 1 << 14, 1 << 16, 1 << 17, 1 << 18, 1 << 19}) {
    std::vector<u128> keys(n);
    for (u128& key : keys) key = u128{random()} << 64 | random();
    advice const a = advise(workload_of("auto(order)"), key_type::u128, row_type::u32, n, backend_kind::cpu);
    ASSERT_TRUE(a.memory);
    auto const built = index::build(a.spec, std::span(std::as_const(keys)), execution()).memory();
    EXPECT_EQ(a.memory->pairs, built.pairs);
    EXPECT_GE(static_cast<double>(a.memory->auxiliary), static_cast<double>(built.auxiliary) / 1.25) << n;
    EXPECT_LE(static_cast<double>(a.memory->auxiliary), static_cast<double>(built.auxiliary) * 1.25) << n;
  }
  workload const in_order = workload_of("auto(order)");
  EXPECT_TRUE(advise(in_order, key_type::u128, row_type::u32, 1 << 27, backend_kind::cuda).rate);
  advice const strings = advise(in_order, key_type::bytes, row_type::u32, 1 << 27, backend_kind::cuda);
  EXPECT_FALSE(strings.memory || strings.rate) << "their lengths are not known";
}

TEST(slow_advise, tells_the_policy_of_a_device) {
  auto const policy = [](char const* text, char const* device) {
    return tuned_policy(text, key_type::u32, row_type::u32, 1 << 28, device);
  };
  EXPECT_EQ(policy("EO+KS(9)", "Unknown GPU"), "");
  EXPECT_EQ(policy("EO+KS(9)/pin=full", "Unknown GPU"), "/pin=full");
  EXPECT_NE(policy("EO+KS(9)", "NVIDIA H200"), "");
  EXPECT_NE(policy("auto", "NVIDIA H200"), "");
  EXPECT_EQ(policy("HT(open)/threads=512", "NVIDIA H200"), "/threads=512");
  EXPECT_EQ(policy("EO+KS(9)/reorder=window", "NVIDIA H200"), "/reorder=window");
  EXPECT_EQ(resolved("EO+KS(9)", 1 << 28, backend_kind::cuda), "EO+KS(9)/layout=SoA/rows=u32")
      << "specs, which files hold, are free of it";
}

}  // namespace
}  // namespace warpdex::test
