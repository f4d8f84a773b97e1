// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/build_progress.hpp>
#include <warpdex/key_set.hpp>
#include <warpdex/stop.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <random>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "support/expect.hpp"
#include "support/folder.hpp"
#include "support/seed.hpp"

/// @file
/// Sets of keys that come in batches, against sets of the same keys at once: their files have the same bytes.
namespace warpdex::test {
namespace {

constexpr std::uint64_t least_memory = 16384 * 40, least_wide_memory = 16384 * 64;

/// Knows the most bytes that are taken at a time.
class measured_memory final : public memory_resource {
 public:
  std::uint64_t most = 0;

  std::stop_source* stops = nullptr;  ///< at the next allocation

  void* allocate(std::size_t bytes, stream_ref stream) override {
    most = std::max(most, now_ += bytes);
    if (stops != nullptr) stops->request_stop();
    return host_memory().allocate(bytes, stream);
  }
  void deallocate(void* pointer, std::size_t bytes, stream_ref stream) noexcept override {
    now_ -= bytes;
    host_memory().deallocate(pointer, bytes, stream);
  }
  backend_kind backend() const noexcept override { return backend_kind::cpu; }

 private:
  std::uint64_t now_ = 0;
};

class set_builders : public testing::Test {
 protected:
  /// Random keys below a number of bits, some of them several times.
  template <class Key> std::vector<Key> keys(std::size_t size, int bits) {
    std::vector<Key> result(size);
    for (std::size_t i = 0; i < size; ++i)
      result[i] = i % 5 == 4 ? result[i / 2] : static_cast<Key>(random_() >> (64 - bits));
    return result;
  }

  template <class Key> void add_in_batches(key_set_builder& builder, std::vector<Key> const& keys) {
    for (std::size_t at = 0; at < keys.size();) {
      std::size_t const part = std::min<std::size_t>(random_() % 9000, keys.size() - at);
      builder.add(std::span(keys).subspan(at, part), exec_);
      at += part;
    }
  }

  template <class Key> void compare(std::vector<Key> const& keys, set_build_options options) {
    key_set_builder builder(detail::key_type_of<Key>(), options);
    for (int again = 0; again < 2; ++again) {
      add_in_batches(builder, again == 0 ? keys : std::vector<Key>(keys.begin(), keys.begin() + 100));
      key_set const set = builder.finish(exec_);
      key_set const wanted(again == 0 ? column(keys) : column(std::span(keys).first(100)), exec_, options.code);
      EXPECT_EQ(set.code(), wanted.code());
      EXPECT_EQ(set.bytes(), wanted.bytes());
      EXPECT_TRUE(set.save() == wanted.save()) << keys.size() << " keys, seed " << test_seed();
      EXPECT_EQ(set.count(keys, exec_), wanted.count(keys, exec_));
    }
  }

  template <class Key> void compare_all(std::uint64_t memory, int bits) {
    for (set_code const code : {set_code::automatic, set_code::plain, set_code::compressed})
      for (std::size_t const size : {100, 16384, 70000})
        compare(keys<Key>(size, bits), {code, memory, {}, code != set_code::compressed});
  }

  folder folder_;
  execution const exec_{host_memory(), {}, 1};
  std::mt19937_64 random_{test_seed()};
};

/// Rows of keys, the same keys often with others.
std::vector<std::uint64_t> rows_of(std::size_t size, std::uint64_t below, std::mt19937_64& random) {
  std::vector<std::uint64_t> rows(size);
  for (auto& row : rows) row = random() % below;
  return rows;
}

TEST_F(set_builders, keep_the_least_row_of_a_key) {
  std::uint64_t const least = 16384 * 4 * 16;
  for (set_code const code : {set_code::automatic, set_code::plain, set_code::compressed})
    for (std::size_t const size : {0, 100, 16384, 70000, 300000})
      for (bool const map : {false, true}) {
        auto const all = keys<std::uint64_t>(size, size % 3 == 0 ? 64 : 14);
        auto const rows = rows_of(size, size % 2 == 0 ? 1 << 20 : ~std::uint64_t{0}, random_);
        std::vector<std::uint32_t> const narrow(rows.begin(), rows.end());
        key_set_builder builder(key_type::u64, {.code = code, .memory = least, .map = map, .rows = true});
        for (std::size_t at = 0; at < size;) {
          std::size_t const part = std::min<std::size_t>(random_() % 9000, size - at);
          auto const here = std::span(all).subspan(at, part);
          if (size % 2 == 0) builder.add(here, std::span(narrow).subspan(at, part), exec_);
          else builder.add(here, std::span(rows).subspan(at, part), exec_);
          at += part;
        }
        key_set const set = builder.finish(exec_), wanted(all, rows, exec_, code);
        EXPECT_EQ(set.row_bits(), wanted.row_bits());
        EXPECT_TRUE(set.save() == wanted.save()) << size << " keys, seed " << test_seed();
        EXPECT_EQ(set.find(all, exec_), wanted.find(all, exec_));
        EXPECT_EQ(builder.finish(exec_).size(), 0u);
      }
}

TEST_F(set_builders, rows_that_are_refused) {
  key_set_builder with(key_type::u64, {.rows = true}), without(key_type::u64);
  std::vector<std::uint64_t> const three = {1, 2, 3};
  std::vector<std::uint32_t> const two = {7, 8}, rows = {7, no_row<std::uint32_t>, 9};
  EXPECT_TRUE(throws<unsupported>([&] { with.add(three, exec_); }, "come with rows"));
  EXPECT_TRUE(throws<unsupported>([&] { without.add(three, three, exec_); }, "come without"));
  EXPECT_TRUE(throws<invalid_argument>([&] { with.add(three, two, exec_); }, "the row column"));
  EXPECT_TRUE(throws<invalid_argument>([&] { with.add(three, rows, exec_); }, "4294967295"));
  EXPECT_TRUE(
      throws<invalid_argument>([&] { key_set_builder(key_type::u64, {.memory = 1000, .rows = true}); }, "1048576"));
  EXPECT_EQ(with.finish(exec_).size(), 0u);
}

TEST_F(set_builders, rows_of_nulls_are_left_out) {
  std::vector<std::uint64_t> const all = {5, 6, 5, 7}, rows = {40, 41, 30, 42};
  std::uint8_t const valid = 0b1011;
  key_set_builder builder(key_type::u64, {.rows = true});
  builder.add(nullable_column(column(all), &valid), rows, exec_);
  EXPECT_EQ(builder.finish(exec_).find(all, exec_), (std::vector<std::uint64_t>{40, 41, 40, 42}));
}

TEST_F(set_builders, of_u64) { compare_all<std::uint64_t>(least_memory, 64); }
TEST_F(set_builders, of_u32) { compare_all<std::uint32_t>(least_memory + 12345, 20); }
TEST_F(set_builders, of_u128) { compare(keys<u128>(60000, 64), {set_code::automatic, least_wide_memory, {}, false}); }
TEST_F(set_builders, of_doubles) { compare(keys<double>(60000, 50), {set_code::compressed, least_memory, {}, true}); }

TEST_F(set_builders, merge_runs_before_there_are_too_many) {
  compare(keys<std::uint64_t>(400000, 64), {set_code::automatic, least_memory, {}, false});
}

TEST_F(set_builders, in_order_and_of_few_numbers) {
  std::vector<std::uint64_t> ascending(200000), few(200000);
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    ascending[i] = i * 3;
    few[i] = i % 1000;
  }
  compare(ascending, {set_code::automatic, least_memory, {}, false});
  compare(few, {set_code::automatic, least_memory, {}, false});
  std::reverse(ascending.begin(), ascending.end());
  ascending.back() = ~std::uint64_t{0};
  compare(ascending, {set_code::automatic, least_memory, {}, true});
}

TEST_F(set_builders, leave_nulls_out) {
  auto const all = keys<std::uint64_t>(40000, 64);
  std::vector<std::uint8_t> valid(5001, 0b10101010);
  key_set_builder builder(key_type::u64, {.memory = least_memory});
  builder.add(nullable_column(column(all), valid.data()), exec_);
  EXPECT_TRUE(builder.finish(exec_).save() == key_set(nullable_column(column(all), valid.data()), exec_).save());
  EXPECT_EQ(builder.finish(exec_).size(), 0u);
}

TEST_F(set_builders, take_no_more_memory_than_they_may) {
  auto const narrow = keys<std::uint64_t>(150000, 64);
  auto const wide = keys<u128>(100000, 64);
  auto const most = [&](auto const& all, key_type type, std::uint64_t memory) {
    measured_memory measured;
    execution const exec(measured, {}, 1);
    key_set_builder builder(type, {.memory = memory, .folder = folder_ / "", .map = true});
    for (std::size_t at = 0; at < all.size(); at += 5000) builder.add(std::span(all).subspan(at, 5000), exec);
    key_set const set = builder.finish(exec);
    EXPECT_EQ(set.count(all, exec_), all.size());
    return measured.most;
  };
  std::uint64_t const of_narrow = most(narrow, key_type::u64, least_memory);
  EXPECT_LE(of_narrow, least_memory);
  EXPECT_GT(of_narrow, least_memory / 2);
  std::uint64_t const of_wide = most(wide, key_type::u128, least_wide_memory);
  EXPECT_LE(of_wide, least_wide_memory);
  EXPECT_GT(of_wide, least_wide_memory / 2);
}

TEST_F(set_builders, refuse_bad_calls) {
  std::vector<std::uint64_t> const some = {1, 2};
  std::vector<std::uint32_t> const narrow = {1, 2};
  EXPECT_TRUE(throws<unsupported>([] { key_set_builder const builder(key_type::bytes); }, "key_set_builder", "bytes"));
  EXPECT_TRUE(throws<invalid_argument>([] { key_set_builder(static_cast<key_type>(99)); }, "99"));
  EXPECT_TRUE(throws<invalid_argument>([] { key_set_builder(key_type::u64, {.code = static_cast<set_code>(9)}); },
                                       "code number 9"));
  EXPECT_TRUE(throws<invalid_argument>([] { key_set_builder(key_type::u64, {.memory = least_memory - 1}); },
                                       "memory is 655359 bytes", "u64 keys need at least 655360"));
  EXPECT_TRUE(throws<io_error>([&] { key_set_builder(key_type::u64, {.folder = folder_ / "none"}); }, "none",
                               "cannot make a file in this folder", "No such file"));
  key_set_builder builder(key_type::u64);
  EXPECT_TRUE(throws<invalid_argument>([&] { builder.add(narrow, exec_); }, "add", "u32", "u64"));
  builder.add(some, exec_);
  key_set_builder taken = std::move(builder);
  EXPECT_TRUE(throws<invalid_argument>([&] { builder.add(some, exec_); }, "moved from"));
  EXPECT_TRUE(throws<invalid_argument>([&] { builder.finish(exec_); }, "moved from"));
  EXPECT_EQ(taken.finish(exec_).size(), 2u);
}

TEST_F(set_builders, go_on_after_a_full_disk) {
  auto const all = keys<std::uint64_t>(60000, 64);
  key_set_builder builder(key_type::u64, {.memory = least_memory, .folder = folder_ / ""});
  // A limit on the length of files makes a write fail in the middle, like a full disk.
  ::rlimit old_limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old_limit), 0);
  ::rlimit const limit{200000, old_limit.rlim_max};
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  EXPECT_TRUE(throws<io_error>([&] { builder.add(all, exec_); }, (folder_ / "").c_str(), "cannot write at offset"));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old_limit), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(folder_.files(), 0u);
  builder.add(all, exec_);
  EXPECT_TRUE(builder.finish(exec_).save() == key_set(all, exec_).save());
  EXPECT_EQ(folder_.files(), 0u);
}

TEST_F(set_builders, stop_and_tell_their_progress) {
  auto const all = keys<std::uint64_t>(60000, 64);
  key_set_builder builder(key_type::u64, {.memory = least_memory});
  std::stop_source stop;
  stop.request_stop();
  {
    stop_scope const scope(stop.get_token());
    EXPECT_TRUE(throws<cancelled>([&] { builder.add(all, exec_); }, ""));
  }
  builder.add(all, exec_);
  {
    stop_scope const scope(stop.get_token());
    EXPECT_TRUE(throws<cancelled>([&] { builder.finish(exec_); }, ""));
  }
  build_progress progress;
  progress_scope const scope(progress);
  EXPECT_TRUE(builder.finish(exec_).save() == key_set(all, exec_).save());
  EXPECT_EQ(progress.done(), 1);
}

TEST_F(set_builders, a_merge_that_was_stopped_is_made_up_for) {
  constexpr std::size_t run = 16384, most_runs = 16;
  auto const all = keys<std::uint64_t>(run * 2 * most_runs, 64);
  measured_memory memory;
  execution const exec(memory, {}, 1);
  key_set_builder builder(key_type::u64, {.memory = least_memory});
  auto const add_run = [&](std::size_t number) { builder.add(std::span(all).subspan(number * run, run), exec); };
  for (std::size_t i = 0; i < most_runs - 1; ++i) add_run(i);
  for (std::size_t i = most_runs - 1; i < most_runs + 4; ++i) {  // the next run is full, and is to be merged
    std::stop_source stop;
    stop_scope const scope(stop.get_token());
    memory.stops = &stop;
    EXPECT_TRUE(throws<cancelled>([&] { add_run(i); }, "")) << i;
  }
  memory.stops = nullptr;
  for (std::size_t i = most_runs - 1; i < 2 * most_runs; ++i) add_run(i);
  EXPECT_TRUE(builder.finish(exec).save() == key_set(all, exec_).save());
}

}  // namespace
}  // namespace warpdex::test
