// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "clients/aggregates/aggregate_steps.hpp"
#include "clients/encoder/tuple_steps.hpp"
#include "clients/join/join_steps.hpp"
#include "clients/sharded/sharded_steps.hpp"
#include "support/arrays.hpp"
#include "support/backends.hpp"
#include "support/expect.hpp"

/// @file
/// Each way in which steps run, by steps of the library, against loops.
namespace warpdex::test {
namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;

class steps_on : public testing::TestWithParam<backend_kind> {
 protected:
  steps_on() : stream_(GetParam()), exec_(memory_of(GetParam()), stream_, 2) {}

  place where() const { return GetParam() == backend_kind::cuda ? place::device : place::host; }
  input_array<u32> placed(std::vector<u32> const& values) const { return {values, where(), 0, exec_}; }

  test_stream stream_;
  execution exec_;
  static constexpr u64 sizes[] = {0, 1, 31, 1000, 100'003};
};

std::vector<u32> random_numbers(u64 size, u32 below) {
  std::mt19937 random(static_cast<unsigned>(size));
  std::vector<u32> numbers(size);
  for (u32& number : numbers) number = random() % below;
  return numbers;
}

TEST_P(steps_on, run_for_each_number) {
  for (u64 const size : sizes) {
    auto rows = random_numbers(size, 3);
    auto const missing = rows;
    std::vector<std::uint8_t> flags(missing.begin(), missing.end());
    input_array<std::uint8_t> const placed_flags(flags, where(), 0, exec_);
    output_array<u32> out(size, 7, where(), exec_);
    join_steps::clear_missing const step{static_cast<std::uint8_t const*>(placed_flags.data()), {out.data(), 4}};
    steps::run(step, size, exec_);
    backend_of(exec_).synchronize(exec_);
    for (u32& row : rows) row = row != 0 ? no_row<u32> : 7;
    EXPECT_EQ(out.read(), rows) << size;
  }
}

TEST_P(steps_on, find_the_first) {
  for (u64 const size : sizes) {
    std::vector<u32> rows(size, 4);
    auto const expect_first = [&](std::optional<u64> expected) {
      auto const array = placed(rows);
      aggregate_steps::has_no_value const check{{array.data(), row_type::u32}, 5, true};
      EXPECT_EQ(steps::find_first(check, size, exec_), expected) << size;
    };
    expect_first(std::nullopt);
    for (u64 const first : {size - 1, size / 2, u64{0}})
      if (first < size) {
        rows[first] = 5;
        expect_first(first);
      }
  }
}

TEST_P(steps_on, select_in_order) {
  for (u64 const size : sizes) {
    auto rows = random_numbers(size, 3);
    for (u32& row : rows) row = row == 0 ? no_row<u32> : row;
    auto const array = placed(rows);
    output_array<u32> numbers(size, 7, where(), exec_);
    output_array<u32> kept(size, 7, where(), exec_);
    join_steps::keep_answer<u32> const keep{
        static_cast<u32 const*>(array.data()), true, {numbers.data(), 4}, 10, kept.data()};
    u64 const selected = steps::select(keep, size, exec_);
    std::vector<u32> expected_numbers, expected_rows;
    for (u64 i = 0; i < size; ++i)
      if (rows[i] != no_row<u32>) {
        expected_numbers.push_back(static_cast<u32>(10 + i));
        expected_rows.push_back(rows[i]);
      }
    EXPECT_EQ(selected, expected_rows.size());
    expected_numbers.resize(size, 7);
    expected_rows.resize(size, 7);
    EXPECT_EQ(numbers.read(), expected_numbers) << size;
    EXPECT_EQ(kept.read(), expected_rows) << size;
  }
}

TEST_P(steps_on, reduce_to_one_value) {
  for (u64 const size : sizes) {
    auto const numbers = random_numbers(size, 1u << 30);
    auto const array = placed(numbers);
    code_range const codes = steps::reduce(tuple_steps::code_at{key_type::u32, array.data()}, size, exec_);
    EXPECT_EQ(codes.lowest, size == 0 ? ~u64{0} : *std::min_element(numbers.begin(), numbers.end()));
    EXPECT_EQ(codes.highest, size == 0 ? 0 : *std::max_element(numbers.begin(), numbers.end()));
  }
}

/// Numbers are for no part, for one, or for several that follow each other.
TEST_P(steps_on, deal_to_parts) {
  for (u64 const size : sizes)
    for (u32 const parts : {1u, 3u, 200u}) {
      auto const kind = random_numbers(size, 5), drawn = random_numbers(size + 1, parts),
                 keys = random_numbers(size, 99);
      std::vector<u64> first(size), more(size);
      std::vector<std::vector<u32>> expected_keys(parts);
      std::vector<std::vector<u64>> expected_numbers(parts);
      for (u64 i = 0; i < size; ++i) {
        first[i] = kind[i] == 0 ? steps::part_range::none : drawn[i];
        more[i] = kind[i] == 1 ? (parts - 1 - drawn[i]) / 2 : 0;
        for (u64 part = drawn[i]; kind[i] != 0 && part <= drawn[i] + more[i]; ++part) {
          expected_keys[part].push_back(keys[i]);
          expected_numbers[part].push_back(i);
        }
      }
      input_array<u64> const first_there(first, where(), 0, exec_), more_there(more, where(), 0, exec_);
      auto const keys_there = placed(keys);
      sharded_steps::deal_elements step{static_cast<u64 const*>(first_there.data()),
                                        static_cast<u64 const*>(more_there.data())};
      step.number_width = sizeof(u64);
      step.arrays[0] = {keys_there.data(), nullptr, sizeof(u32)};
      steps::shares counted = steps::count_shares(step, size, parts, exec_);
      output_array<u32> dealt_keys(counted.begins.back(), 7, where(), exec_);
      output_array<u64> numbers(counted.begins.back(), 7, where(), exec_);
      step.arrays[0].to = dealt_keys.data();
      step.numbers = numbers.data();
      steps::deal(step, size, counted, exec_);
      auto const found_keys = dealt_keys.read();
      auto const found_numbers = numbers.read();
      for (u32 part = 0; part < parts; ++part) {
        ASSERT_EQ(counted.of(part), expected_keys[part].size()) << size << " " << part;
        auto const begin = static_cast<std::ptrdiff_t>(counted.begins[part]);
        EXPECT_TRUE(std::equal(expected_keys[part].begin(), expected_keys[part].end(), found_keys.begin() + begin));
        EXPECT_TRUE(
            std::equal(expected_numbers[part].begin(), expected_numbers[part].end(), found_numbers.begin() + begin));
      }
    }
}

INSTANTIATE_TEST_SUITE_P(all, steps_on, testing::ValuesIn(present_backends()), backend_name);

#if !WARPDEX_WITH_CUDA
/// Host memory that says it is a device's.
class false_device : public memory_resource {
 public:
  void* allocate(std::size_t, stream_ref) override { return nullptr; }
  void deallocate(void*, std::size_t, stream_ref) noexcept override {}
  backend_kind backend() const noexcept override { return backend_kind::cuda; }
};

TEST(steps, are_refused_for_devices_without_cuda) {
  false_device memory;
  std::uint8_t const flag = 0;
  u32 row = 0;
  EXPECT_TRUE(throws<unsupported>(
      [&] {
        steps::run(join_steps::clear_missing{&flag, {&row, 4}}, 1, execution(memory));
      },
      "this build of warpdex has no CUDA backend"));
}
#endif

}  // namespace
}  // namespace warpdex::test
