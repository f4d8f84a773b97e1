// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/join.hpp"
#include "bench/baselines.hpp"
#include "run_bench.hpp"

#include <warpdex/device.hpp>

#include <algorithm>
#include <vector>

namespace warpdex::bench {
namespace {

constexpr char const* small = "join --index AO+BS --n 3000 --probes 2000 --repeat 1 --threads 1,2 --backend cpu ";

template <class Key> void check_stepped(std::uint64_t n, std::uint64_t copies) {
  stepped_keys<Key> const keys(n, copies, 7);
  std::vector<Key> column;
  for (std::uint64_t rank = 0; rank < n; ++rank) column.push_back(keys.at(rank));
  ASSERT_TRUE(std::is_sorted(column.begin(), column.end()));
  EXPECT_EQ(static_cast<std::uint64_t>(std::unique(column.begin(), column.end()) - column.begin()), keys.distinct());
  column.clear();
  for (std::uint64_t rank = 0; rank < n; ++rank) column.push_back(keys.at(rank));
  std::vector<Key> values{0, 1, static_cast<Key>(-1), static_cast<Key>(-2)};
  for (auto const key : column)
    for (int const d : {-1, 0, 1}) values.push_back(static_cast<Key>(key + static_cast<Key>(d)));
  for (auto const value : values) {
    auto const lower = std::lower_bound(column.begin(), column.end(), value) - column.begin();
    auto const upper = std::upper_bound(column.begin(), column.end(), value) - column.begin();
    ASSERT_EQ(keys.lower_bound(value), static_cast<std::uint64_t>(lower)) << value;
    ASSERT_EQ(keys.upper_bound(value), static_cast<std::uint64_t>(upper)) << value;
  }
  for (std::uint64_t rank = 0; rank < n; ++rank)
    ASSERT_EQ(keys.first_of_key(rank), keys.lower_bound(column[rank])) << rank;
}

TEST(bench_join, stepped_keys_know_their_bounds) {
  for (std::uint64_t const n : {1, 2, 3, 100, 1000})
    for (std::uint64_t const copies : {1, 2, 7, 2000}) {
      check_stepped<std::uint32_t>(n, copies);
      check_stepped<std::uint64_t>(n, copies);
    }
}

TEST(bench_join, the_nearest_key_of_a_probe) {
  std::vector<std::uint32_t> const keys = {10, 10, 20, 30};
  auto const at = [&](std::uint64_t rank) { return keys[rank]; };
  asof_options ask;
  auto const answer = [&](asof_strategy strategy, std::uint32_t probe) {
    ask.strategy = strategy;
    auto const rank = [&](auto position) { return static_cast<std::uint64_t>(position - keys.begin()); };
    auto const first = rank(std::lower_bound(keys.begin(), keys.end(), probe));
    auto const below = first == 0 ? pair_sum::none : rank(std::lower_bound(keys.begin(), keys.end(), keys[first - 1]));
    auto const above = ask.allow_exact_matches ? first : rank(std::upper_bound(keys.begin(), keys.end(), probe));
    return asof_answer(ask, probe, above, below, keys.size(), at);
  };
  EXPECT_EQ(answer(asof_strategy::backward, 9), pair_sum::none);
  EXPECT_EQ(answer(asof_strategy::backward, 19), 0u);
  EXPECT_EQ(answer(asof_strategy::backward, 20), 2u);
  EXPECT_EQ(answer(asof_strategy::backward, 99), 3u);
  EXPECT_EQ(answer(asof_strategy::forward, 9), 0u);
  EXPECT_EQ(answer(asof_strategy::forward, 11), 2u);
  EXPECT_EQ(answer(asof_strategy::forward, 31), pair_sum::none);
  EXPECT_EQ(answer(asof_strategy::nearest, 0), 0u);
  EXPECT_EQ(answer(asof_strategy::nearest, 15), 0u) << "the earlier key of two that are equally near";
  EXPECT_EQ(answer(asof_strategy::nearest, 16), 2u);
  EXPECT_EQ(answer(asof_strategy::nearest, 99), 3u);
  ask.tolerance = std::int64_t{4};
  EXPECT_EQ(answer(asof_strategy::backward, 24), 2u);
  EXPECT_EQ(answer(asof_strategy::backward, 25), pair_sum::none);
  EXPECT_EQ(answer(asof_strategy::nearest, 26), 3u);
  EXPECT_EQ(answer(asof_strategy::nearest, 25), pair_sum::none);
  EXPECT_EQ(answer(asof_strategy::forward, 20), 2u);
  ask.allow_exact_matches = false;
  EXPECT_EQ(answer(asof_strategy::forward, 20), pair_sum::none);
  ask.tolerance = std::nullopt;
  EXPECT_EQ(answer(asof_strategy::forward, 20), 3u);
  EXPECT_EQ(answer(asof_strategy::backward, 20), 0u);
  EXPECT_EQ(answer(asof_strategy::forward, 10), 2u);
  EXPECT_EQ(answer(asof_strategy::backward, 10), pair_sum::none);
}

TEST(bench_join, every_join_and_right_side) {
  for (auto const* how :
       {"inner", "left", "semi", "anti", "range", "asof", "asof --strategy forward --no-allow-exact-matches",
        "asof --strategy nearest --tolerance 100000"})
    for (auto const* rest : {"", "--key-type u64 --hits 3 --hit-rate 0.5 --right sorted",
                             "--zipf 1.1 --hits 5 --batch-pairs 100 --part-probes 300", "--hits 5000"}) {
      auto const lines = run(small + std::string("--how ") + how + " " + rest);
      auto const indexes = of_kind(lines, "index");
      ASSERT_EQ(indexes.size(), 2u) << how << rest;
      bool const by_equality = how != std::string("range") && !std::string(how).starts_with("asof");
      EXPECT_EQ(of_kind(lines, "baseline").size(), by_equality ? 4u : 2u) << how << rest;
      EXPECT_EQ(indexes[0]["ratios"].size(), by_equality ? 4u : 2u) << how << rest;
    }
}

/// Each join builds its index. The baseline of as-of joins sorts both sides; others have none but the hash join.
TEST(bench_join, unsorted_columns_are_indexed_by_each_join) {
  for (auto const* how : {"inner", "left --hit-rate 0.5", "anti --hit-rate 0.5", "range", "asof",
                          "asof --no-allow-exact-matches", "asof --strategy nearest --tolerance 90000000"})
    for (auto const* rest : {"", "--key-type u64 --hits 3"}) {
      auto const lines = run(small + std::string("--right unsorted --how ") + how + " " + rest);
      EXPECT_EQ(of_kind(lines, "index").size(), 2u) << how << rest;
      EXPECT_EQ(of_kind(lines, "baseline").size(), how == std::string("range") ? 0u : 2u) << how << rest;
    }
}

TEST(bench_join, fields_and_numbers_of_pairs) {
  auto const pairs = [](std::string const& arguments) { return run(small + arguments).back()["pairs"]; };
  EXPECT_EQ(pairs("--baselines none --hits 3"), 6000);
  EXPECT_EQ(pairs("--baselines none --how semi --hits 3"), 2000);
  EXPECT_EQ(pairs("--baselines none --how anti"), 0);
  EXPECT_EQ(pairs("--baselines none --how left --hit-rate 0"), 2000);
  EXPECT_EQ(pairs("--baselines none --how range --hits 10"), 20000);
  EXPECT_EQ(pairs("--baselines none --how asof"), 2000);
  auto const line = run(small + std::string("--baselines none --right sorted --how asof --key-type u64")).front();
  EXPECT_EQ(line["bench"], "join");
  EXPECT_EQ(line["op"], "asof");
  EXPECT_EQ(line["strategy"], "backward");
  EXPECT_EQ(line["allow_exact_matches"], true);
  EXPECT_EQ(line["tolerance"], nullptr);
  EXPECT_EQ(line["right"], "sorted");
  EXPECT_EQ(line["key_type"], "u64");
  EXPECT_EQ(line["index_bytes"], 0);
  EXPECT_EQ(line["borrowed_bytes"], 24000);
  for (auto const* field : {"pair_rate", "rate", "median_s", "scratch_bytes", "place", "zipf", "hit_rate", "hits",
                            "batch_pairs", "part_probes", "build_s"})
    EXPECT_TRUE(line.contains(field)) << field;
}

TEST(bench_join, bytes_that_joins_read_at_least) {
  auto const probed = [](std::string const& options) {
    auto const line = of_kind(run(small + options), "index").front();
    EXPECT_EQ(line["right_bytes"], 12000);
    return line.contains("probed_bytes") ? line["probed_bytes"].get<int>() : -1;
  };
  EXPECT_EQ(probed("--right sorted --part-probes 1"), 32 * 2000) << "a sector per probe";
  EXPECT_GT(probed("--right sorted"), 11500) << "nearly all sectors";
  EXPECT_LE(probed("--right sorted"), 12000);
  EXPECT_EQ(probed("--right sorted --how range --hits 2"), -1);
  EXPECT_EQ(probed("--right unsorted"), -1);
}

TEST(bench_join, usage_errors) {
  EXPECT_THROW(run("join --index AO+BS --backend cpu --right host"), usage_error);
  EXPECT_THROW(run("join --index AO+BS --backend cpu --left pinned"), usage_error);
  EXPECT_THROW(run("join --index AO+BS --n 0"), usage_error);
  EXPECT_THROW(run("join --index AO+BS --backend cpu --tolerance 3"), usage_error);
  EXPECT_THROW(run("join --index AO+BS --backend cpu --how range --no-allow-exact-matches"), usage_error);
  EXPECT_THROW(run("join --index AO+BS --backend cpu --how asof --tolerance -3"), usage_error);
  EXPECT_THROW(run("join --index AO+BS --n 2^32 --key-type u32"), usage_error);
  EXPECT_THROW(run("join --index AO+BS --key-type u128"), bad_arguments);
  EXPECT_THROW(run("join --index 'HT(open)' --how asof --backend cpu --n 100 --probes 100"), unsupported);
}

TEST(bench_join, host_columns_are_compared_with_a_copy) {
  if (devices().empty()) GTEST_SKIP() << "no device";
  for (auto const* how : {"inner", "anti", "range", "asof"}) {
    auto const lines =
        run("join --index AO+BS,PGM --n 5000 --probes 3000 --repeat 1 --backend cuda --baselines gpu "
            "--right host --left pinned --how " +
            std::string(how));
    ASSERT_EQ(of_kind(lines, "limit").size(), 1u);
    auto const indexes = of_kind(lines, "index");
    ASSERT_EQ(indexes.size(), 2u);
    EXPECT_TRUE(indexes[0]["ratios"].contains("copy of the right side, pinned"));
  }
}

TEST(bench_join, wrong_pairs_are_noticed) {
  stepped_keys<std::uint32_t> const keys(100, 1, 1);
  config c;
  c.threads = {1};
  c.join = join_op::semi;
  std::vector<std::uint32_t> column(100);
  for (std::uint64_t rank = 0; rank < 100; ++rank) column[rank] = keys.at(rank);
  left_side<std::uint32_t> const left{array<std::uint32_t>(10), {}};
  for (std::uint64_t i = 0; i < 10; ++i) left.lower[i] = column[i];
  bench_context context;
  context.json = true;
  context.quiet = true;
  report out(context, "join", record::object());
  auto const with = [&](std::uint64_t last) {
    testing::internal::CaptureStdout();
    pair_sum sum;
    for (std::uint64_t i = 0; i < 9; ++i) sum.add(i, pair_sum::none);
    sum.add(last, pair_sum::none);
    try {
      run_cpu_join_baselines<std::uint32_t>(
          c, column, left, [&](std::uint64_t) { return sum; }, context, out);
    } catch (...) {
      testing::internal::GetCapturedStdout();
      throw;
    }
    testing::internal::GetCapturedStdout();
  };
  EXPECT_NO_THROW(with(9));
  EXPECT_THROW(with(8), error);
}

}  // namespace
}  // namespace warpdex::bench
