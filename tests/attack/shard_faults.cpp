// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/device.hpp>
#include <warpdex/sharded.hpp>

#include "attack/failing_cuda.hpp"
#include "support/folder.hpp"
#include "support/scarce_memory.hpp"
#include "support/seed.hpp"

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <set>

/// @file
/// One of two devices fails in the middle of a call: from some CUDA call on, none succeeds there. The result is an
/// error that names it, and the index answers as before. With one device alone, all shards are on it.
namespace warpdex::test {
namespace {

namespace failing = failing_cuda;

using numbers = std::vector<std::uint32_t>;

constexpr std::uint64_t tried = 40;  ///< calls from which on the device fails
constexpr std::uint32_t shard_count = 3;

numbers random_numbers(std::size_t size, std::uint32_t below, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  numbers result(size);
  for (std::uint32_t& item : result) item = static_cast<std::uint32_t>(random() % below);
  return result;
}

class shard_faults : public testing::TestWithParam<char const*> {
 protected:
  void SetUp() override {
    if (devices().empty()) GTEST_SKIP() << "needs a CUDA device";
    for (int const device : std::set<int>{0, device_count() - 1}) {
      shard_place place = place_on(device);
      memories_.push_back(std::make_unique<scarce_memory>(*place.exec.memory));
      place.exec.memory = memories_.back().get();
      places_.push_back(place);
    }
  }

  static int device_count() { return static_cast<int>(devices().size()); }

  sharded_index build() const {
    return sharded_index::build(GetParam(), keys_, placement::range, places_, shard_count);
  }

  std::size_t live() const {
    std::size_t all = 0;
    for (auto const& memory : memories_) all += memory->live();
    return all;
  }

  /// What is asked to see that an index is as before.
  struct answers {
    numbers small, large;
    std::vector<std::uint64_t> ranks;
    bool operator==(answers const&) const = default;
  };
  answers ask(any_index const& of) const {
    answers found{of.find(few_), of.find(many_), {}};
    if (of.ordered()) found.ranks = of.upper_bound(many_);
    return found;
  }

  /// @param prepare makes an index, which `call` uses or changes
  /// @param after what the index answers if `call` succeeds
  void fail_in_turn(char const* name, std::function<void(std::optional<sharded_index>&)> const& prepare,
                    std::function<void(std::optional<sharded_index>&)> const& call, answers const& before,
                    answers const& after) {
    SCOPED_TRACE(std::string(GetParam()) + ", " + name);
    for (shard_place const& failed : places_) {
      SCOPED_TRACE("device " + std::to_string(failed.device));
      std::optional<sharded_index> index;
      prepare(index);
      failing::fail_device(failed.device, 0);
      call(index);
      std::uint64_t const calls = failing::relax_device();
      std::mt19937_64 random(test_seed());
      for (std::uint64_t i = 1; i <= std::min(calls, tried); ++i) {
        std::uint64_t const nth = calls <= tried ? i : 1 + random() % calls;
        SCOPED_TRACE("from call " + std::to_string(nth) + " of " + std::to_string(calls));
        index.reset();
        prepare(index);
        ASSERT_NO_FATAL_FAILURE(fail_once(index, call, failed.device, nth, before, after));
      }
    }
    EXPECT_EQ(live(), 0u);
  }

  void fail_once(std::optional<sharded_index>& index, std::function<void(std::optional<sharded_index>&)> const& call,
                 int device, std::uint64_t nth, answers const& before, answers const& after) {
    std::size_t const held = live();
    std::string text;
    failing::fail_device(device, nth);
    try {
      call(index);
    } catch (error const& e) {
      text = e.what();
    }
    failing::relax_device();
    for (int d = 0; d < device_count(); ++d) {
      cudaSetDevice(d);
      ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
      ASSERT_EQ(cudaGetLastError(), cudaSuccess) << "the next launch would seem to have failed";
    }
    cudaSetDevice(0);
    if (text.empty()) {
      ASSERT_TRUE(ask(*index) == after) << "wrong in spite of a failure";
      return;
    }
    ASSERT_NE(text.find("on device " + std::to_string(device)), std::string::npos) << text;
    std::size_t const held_now = live();
    if (index) index->verify();
    answers const found = index ? ask(*index) : before;
    updates_kept_ += found == before ? 0 : 1;
    // A wait that fails after the last write of an update in place: its device is lost, and entries are not counted.
    if (found == before) ASSERT_EQ(held_now, held) << "leaked: " << text;
    else ASSERT_TRUE(found.small == after.small && found.large == after.large) << "not as before: " << text;
  }

  numbers const keys_ = random_numbers(200'003, 1u << 20, 1);
  numbers const few_ = random_numbers(3000, 1u << 20, 2);
  numbers const many_ = random_numbers((std::size_t{1} << 19) + 77, 1u << 20, 3);
  std::vector<std::unique_ptr<scarce_memory>> memories_;
  std::vector<shard_place> places_;
  int updates_kept_ = 0;  ///< failed after the last change was written
};

TEST_P(shard_faults, calls) {
  auto const rebuilt = [&](std::optional<sharded_index>& index) { index.emplace(build()); };
  std::optional<sharded_index> whole;
  rebuilt(whole);
  answers const before = ask(*whole);
  whole.reset();
  fail_in_turn(
      "build", [](auto& index) { index.reset(); }, rebuilt, before, before);
  fail_in_turn(
      "a small lookup", rebuilt, [&](auto& index) { (void)index->find(few_); }, before, before);
  fail_in_turn(
      "a large lookup", rebuilt, [&](auto& index) { (void)index->find(many_); }, before, before);
  if (std::string_view(GetParam()) != "HT(open)")
    fail_in_turn(
        "floor", rebuilt, [&](auto& index) { (void)index->floor(few_); }, before, before);
  folder const files;
  build().save(files / "shards");
  fail_in_turn(
      "load", [](auto& index) { index.reset(); },
      [&](auto& index) { index.emplace(sharded_index::load(files / "shards", places_)); }, before, before);
}

TEST_P(shard_faults, updates) {
  auto const rebuilt = [&](std::optional<sharded_index>& index) { index.emplace(build()); };
  numbers const more = random_numbers(5000, 1u << 20, 4);
  numbers rows(more.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::uint32_t>(keys_.size() + i);
  std::span<std::uint32_t const> const gone(keys_.data(), 5000);
  auto const update = [&](std::optional<sharded_index>& index) { index->update(more, rows, gone, {}); };
  auto const one_shard = [&](std::optional<sharded_index>& index) {  // changes one shard
    index->insert(std::span(more).first(1), std::span(rows).first(1), {});
  };
  for (auto const& change : {std::function<void(std::optional<sharded_index>&)>(update),
                             std::function<void(std::optional<sharded_index>&)>(one_shard)}) {
    std::optional<sharded_index> index;
    rebuilt(index);
    answers const before = ask(*index);
    change(index);
    answers const after = ask(*index);
    index.reset();
    fail_in_turn("update", rebuilt, change, before, after);
    EXPECT_LE(updates_kept_, static_cast<int>(4 * places_.size())) << "only the last wait comes after the last write";
  }
}

INSTANTIATE_TEST_SUITE_P(all, shard_faults, testing::Values("AO+BS", "B+(16)", "HT(open)"), [](auto const& test) {
  std::string name = test.param;
  std::erase_if(name, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
  return name;
});

}  // namespace
}  // namespace warpdex::test
