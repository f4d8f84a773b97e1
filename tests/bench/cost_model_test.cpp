// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/cost_model.hpp"

#include <gtest/gtest.h>

namespace warpdex::bench {
namespace {

/// Copies of 16 and 8 GB/s that start within 10 and 20 us, and searches of 4 G/s that start within 5 us.
cost_model machine() {
  return {.to_device = {10e-6, 16e9},
          .to_host = {20e-6, 8e9},
          .search = {5e-6, 4e9},
          .link_one_way = 50e9,
          .link_two_way = 40e9};
}

TEST(cost_model, a_line_goes_through_both_measurements) {
  auto const line = linear_cost::through(1000, 11e-6, 101000, 21e-6);
  EXPECT_DOUBLE_EQ(line.seconds(1000), 11e-6);
  EXPECT_DOUBLE_EQ(line.seconds(101000), 21e-6);
  EXPECT_DOUBLE_EQ(line.rate, 1e10);
}

TEST(cost_model, noise_makes_no_negative_cost) {
  auto const reversed = linear_cost::through(1000, 30e-6, 100000, 20e-6);
  EXPECT_EQ(reversed.start, 0);
  EXPECT_DOUBLE_EQ(reversed.seconds(100000), 20e-6);
  auto const steep = linear_cost::through(1000, 1e-6, 2000, 100e-6);
  EXPECT_EQ(steep.start, 0);
}

TEST(cost_model, small_batches_pay_every_part_in_turn) {
  auto const m = machine();
  batch_shape const shape{1, 4, 4};
  EXPECT_NEAR(m.seconds(shape), 35e-6, 1e-8) << "the starts alone";
  batch_shape const some{1 << 20, 8, 4};
  double const probes = 1 << 20;
  EXPECT_DOUBLE_EQ(m.seconds(some), 10e-6 + probes * 8 / 16e9 + 5e-6 + probes / 4e9 + 20e-6 + probes * 4 / 8e9);
}

TEST(cost_model, large_batches_take_as_long_as_their_slowest_part) {
  auto m = machine();
  batch_shape const large{std::uint64_t{1} << 32, 4, 4};
  auto const probes = static_cast<double>(large.probes);
  EXPECT_NEAR(m.seconds(large) / (probes / 4e9), 1, 0.01) << "the searches";
  m.search.rate = 400e9;
  EXPECT_NEAR(m.seconds(large) / (probes * 4 / 40e9), 1, 0.01) << "the link, both ways at once";
  batch_shape const wide{large.probes, 8, 4};
  EXPECT_NEAR(m.seconds(wide) / (probes * (4 / 40e9 + 4 / 50e9)), 1, 0.01) << "half of the bytes pass no others";
}

TEST(cost_model, overlap_never_costs_more_than_copies_in_turn_at_the_same_rates) {
  auto m = machine();
  m.to_device.rate = m.to_host.rate = m.link_one_way = m.link_two_way = 50e9;
  for (std::uint64_t probes = cost_model::chunk; probes <= std::uint64_t{1} << 30; probes *= 2) {
    batch_shape const b{probes, 8, 4};
    double const starts = static_cast<double>(probes / cost_model::chunk) * m.search.start;
    EXPECT_LE(m.overlapped(b), m.in_turn(b) + starts) << probes;
  }
}

TEST(cost_model, batches_are_streamed_from_one_chunk_on) {
  auto const m = machine();
  batch_shape const below{cost_model::chunk - 1, 4, 4}, from{cost_model::chunk, 4, 4};
  EXPECT_DOUBLE_EQ(m.seconds(below), m.in_turn(below));
  EXPECT_DOUBLE_EQ(m.seconds(from), m.overlapped(from));
}

}  // namespace
}  // namespace warpdex::bench
