// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/join.hpp>

#include <gtest/gtest.h>

#include "support/backends.hpp"
#include "support/expect.hpp"

namespace warpdex::test {
namespace {

constexpr std::uint64_t billion = 1'000'000'000;
constexpr join_rates rates{10, 5, 40, 20, 50, 50, .4, 100};  // of no machine

TEST(plan_join, sums_what_each_method_takes) {
  join_question ask;
  ask.left = 4 * billion;
  ask.right = billion;
  // The ordered index: 1/10 + 4/40 + 4/50; the hash join: 1/5 + 4/20 + 4/50.
  auto const plan = plan_join(ask, rates);
  EXPECT_EQ(plan.by, join_plan::method::build);
  EXPECT_EQ(plan.spec, "auto(ranges)");
  EXPECT_DOUBLE_EQ(plan.seconds, 0.1 + 0.1 + 0.08);
  EXPECT_NE(plan.reasons.find("hash join by HT(open,load=0.5): 0.48 s"), std::string::npos) << plan.reasons;
}

TEST(plan_join, a_short_left_side_is_hashed) {
  join_question ask;
  ask.left = billion / 100;
  ask.right = billion;
  join_rates fast_hash = rates;
  fast_hash.probed_hashed = 40;
  EXPECT_EQ(plan_join(ask, fast_hash).by, join_plan::method::hash);
  ask.wants_order = true;
  EXPECT_EQ(plan_join(ask, fast_hash).spec, "auto(ranges)");
}

TEST(plan_join, sides_in_order_are_merged) {
  join_question ask;
  ask.left = 4 * billion;
  ask.right = billion;
  ask.left_sorted = true;
  // The index is built in 1/10, and probes in order take (4 + 1)/100 instead of 4/40.
  EXPECT_DOUBLE_EQ(plan_join(ask, rates).seconds, 0.1 + 0.05 + 0.08);
  ask.right_sorted = true;
  EXPECT_EQ(plan_join(ask, rates).by, join_plan::method::borrow) << "which checks the order once, for all joins";
  join_rates slow = rates;
  slow.merged = 1;
  EXPECT_EQ(plan_join(ask, slow).seconds,
            plan_join({.left = ask.left, .right = ask.right, .right_sorted = true}, slow).seconds);
}

TEST(plan_join, an_index_that_exists_needs_no_build) {
  join_question ask;
  ask.left = billion;
  ask.right = billion;
  ask.existing = "AO+BS";
  auto const plan = plan_join(ask, rates);
  EXPECT_EQ(plan.by, join_plan::method::existing);
  EXPECT_EQ(plan.spec, "AO+BS");
  ask.existing = "HT(open)";
  ask.wants_order = true;
  EXPECT_EQ(plan_join(ask, rates).by, join_plan::method::build);
}

TEST(plan_join, copies_hide_behind_searches_or_the_other_way_round) {
  join_question ask;
  ask.left = billion;
  ask.right = 100 * billion;
  ask.existing = "AO+BS";
  ask.left_on_host = true;
  EXPECT_DOUBLE_EQ(plan_join(ask, rates).seconds, 4.0 / 50 + 1.0 / 50);
  join_rates slow = rates;
  slow.probed_ordered = 5;
  EXPECT_DOUBLE_EQ(plan_join(ask, slow).seconds, 1.0 / 5 + 1.0 / 50);
}

/// 64 GiB of keys on the host, 2^26 probes on the device.
TEST(plan_join, few_probes_of_keys_in_host_memory_read_a_line_each) {
  join_question ask;
  ask.left = std::uint64_t{1} << 26;
  ask.right = std::uint64_t{1} << 33;
  ask.key_bytes = 8;
  ask.right_on_host = true;
  ask.right_sorted = true;
  EXPECT_EQ(plan_join(ask, rates).by, join_plan::method::copy) << "one join does not pay for a look at all keys twice";
  ask.room = std::uint64_t{1} << 32;
  EXPECT_EQ(plan_join(ask, rates).by, join_plan::method::hash);
  ask.joins = 10;
  EXPECT_EQ(plan_join(ask, rates).by, join_plan::method::borrow);
  ask.joins = 1;
  ask.existing = "GRT";
  ask.existing_on_host = true;
  auto const plan = plan_join(ask, rates);
  EXPECT_EQ(plan.by, join_plan::method::existing);
  auto const probes = static_cast<double>(ask.left) / 1e9;
  EXPECT_DOUBLE_EQ(plan.seconds, probes / 40 + probes / .4 + probes / 50);
}

TEST(plan_join, many_probes_of_keys_in_host_memory_read_all_keys) {
  join_question ask;
  ask.left = std::uint64_t{1} << 26;
  ask.right = std::uint64_t{1} << 27;
  ask.key_bytes = 8;
  ask.right_on_host = true;
  ask.existing = "AO+BS";
  ask.existing_on_host = true;
  auto const probes = static_cast<double>(ask.left) / 1e9;
  EXPECT_DOUBLE_EQ(plan_join(ask, rates).seconds, probes / 40 + 16 * probes / 50 + probes / 50);
}

TEST(plan_join, what_does_not_fit_is_not_built) {
  join_question ask;
  ask.left = 1;
  ask.right = billion;
  ask.room = 100;
  EXPECT_EQ(plan_join(ask, rates).by, join_plan::method::hash);
  ask.wants_order = true;
  EXPECT_TRUE(throws<out_of_memory>([&] { plan_join(ask, rates); }, "100"));
}

/// The pairs of an index over what is not sorted may be in host memory.
TEST(plan_join, what_does_not_fit_is_built_over_host_memory) {
  join_question ask;
  ask.left = billion / 100;
  ask.right = 4 * billion;
  ask.key_bytes = 8;
  ask.right_on_host = true;
  ask.wants_order = true;
  ask.room = 2 * billion;  // pivots of 4 * 10^9 keys take this
  auto const plan = plan_join(ask, rates);
  EXPECT_EQ(plan.by, join_plan::method::build);
  EXPECT_EQ(plan.spec, "AO+PB+KS(17)/pairs=host");
  double const built = 4 * 8 / 50. + 4 / 10. + 4 * 12 * 2 / 50. + 4 * 8 / 50.;
  EXPECT_DOUBLE_EQ(plan.seconds, built + .01 / 40 + 2 * .01 / .4 + .01 / 50);
  ask.room = 100 * billion;
  EXPECT_EQ(plan_join(ask, rates).spec, "auto(ranges)");
  ask.room = 2 * billion - 1;
  EXPECT_THROW(plan_join(ask, rates), out_of_memory);
}

/// A hash join of another kind has its table over the right side, even if that is the longer one.
TEST(plan_join, the_kind_decides_what_is_hashed) {
  join_question ask;
  ask.left = billion / 100;
  ask.right = billion;
  auto const hash_join = [&](join_kind kind) {
    ask.kind = kind;
    std::string const reasons = plan_join(ask, rates).reasons;
    return reasons.substr(reasons.find("hash join"));
  };
  EXPECT_EQ(hash_join(join_kind::inner), "hash join by HT(open,load=0.5): 0.0522 s");  // .01 / 5 + 1 / 20 + .01 / 50
  for (join_kind const kind : {join_kind::left, join_kind::semi, join_kind::anti})
    EXPECT_EQ(hash_join(kind), "hash join by HT(open,load=0.5): 0.201 s");  // 1 / 5 + .01 / 20 + .01 / 50
}

class slow_measured_rates_on : public testing::TestWithParam<backend_kind> {};

TEST_P(slow_measured_rates_on, are_rates_of_a_plan) {
  test_stream const stream(GetParam());
  execution const exec(memory_of(GetParam()), stream);
  join_question ask;
  ask.left = ask.right = billion;
  EXPECT_GT(plan_join(ask, measured_rates(exec)).seconds, 0);
}

INSTANTIATE_TEST_SUITE_P(backends, slow_measured_rates_on, testing::ValuesIn(present_backends()),
                         [](auto const& each) { return name_of(each.param); });

TEST(plan_join, refuses_rates_that_are_none) {
  join_rates wrong = rates;
  wrong.pairs = 0;
  EXPECT_TRUE(throws<invalid_argument>([&] { plan_join({}, wrong); }, "pairs", "0"));
}

}  // namespace
}  // namespace warpdex::test
