// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/sharded/lanes.hpp"

#include <warpdex/current_device.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "backend/backend.hpp"
#include "model/fake_device.hpp"

/// @file
/// The waits between the devices of an exchange, with fake devices (fake_device.hpp): probes are dealt where the call
/// runs, copied to each place, searched, copied back and gathered, several times on one lane and over the same arrays.
/// If a stream does not wait for another, an answer is wrong in some order of their work.
namespace warpdex::test {
namespace {

using numbers = std::vector<std::uint64_t>;

/// Which waits of an exchange are left out.
enum class missing { nothing, fork, join };

class exchange {
 public:
  /// @param with_home whether the work of the place where the call runs has a stream of its own
  exchange(int devices, int home, bool with_home, std::uint64_t seed)
      : home_(static_cast<std::size_t>(home)), with_home_(with_home), random_(seed) {
    for (int device = 0; device < devices; ++device) places_.push_back({execution(host_memory()), device});
    for (numbers* all : {&dealt_, &sent_, &found_, &brought_}) all->assign(places_.size(), 0);
    lane_.emplace(places_, home);
  }

  /// Puts all work of an exchange on its streams.
  void start(missing wait) {
    std::uint64_t const probe = random_();
    expected_ += probe * probe * places_.size();
    cudaStream_t const home = lane_->on_home(execution(host_memory())).stream.get();
    put(home, [this, probe] { dealt_.assign(dealt_.size(), probe); });
    if (wait != missing::fork) lane_->fork(home, with_home_);
    for (std::size_t i = 0; i < places_.size(); ++i) {
      cudaStream_t const stream = i == home_ && !with_home_ ? home : lane_->place(i).exec.stream.get();
      cudaMemcpyAsync(&sent_[i], &dealt_[i], sizeof(probe), cudaMemcpyDefault, stream);
      put(stream, [this, i] { found_[i] = sent_[i] * sent_[i]; });
      cudaMemcpyAsync(&brought_[i], &found_[i], sizeof(probe), cudaMemcpyDefault, stream);
    }
    if (wait != missing::join) lane_->join(home, with_home_);
    put(home, [this] {
      for (std::uint64_t const answer : brought_) sum_ += answer;
    });
  }

  /// Waits for all. @return whether the answers of all exchanges are right
  bool is_right() {
    lane_->synchronize();
    return sum_ == expected_;
  }

 private:
  static void put(cudaStream_t stream, std::function<void()> work) {
    std::lock_guard const turn(fake_device::instance().guard());
    fake_device::instance().enqueue(stream, std::move(work));
  }

  std::size_t home_;
  bool with_home_;
  std::mt19937_64 random_;
  std::vector<shard_place> places_;
  std::optional<lane> lane_;
  numbers dealt_, sent_, found_, brought_;
  std::uint64_t sum_ = 0, expected_ = 0;
};

/// @return the number of seeds, of 300, with which all answers are right
int right_runs(missing wait) {
  int right = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    fake_device::instance().reset(seed);
    int const devices = 2 + static_cast<int>(seed % 7);  // up to 8
    exchange trial(devices, static_cast<int>(seed % static_cast<std::uint64_t>(devices)), seed % 2 == 0, seed);
    for (int i = 0; i < 3; ++i) trial.start(wait);
    right += trial.is_right() ? 1 : 0;
    EXPECT_EQ(current_device(), 0);
    EXPECT_TRUE(fake_device::instance().idle());
  }
  return right;
}

TEST(lanes, exchanges_wait_for_each_other) { EXPECT_EQ(right_runs(missing::nothing), 300); }

TEST(lanes, a_missing_wait_is_found) {
  EXPECT_LT(right_runs(missing::fork), 300);
  EXPECT_LT(right_runs(missing::join), 300);
}

TEST(lanes, are_kept_and_told_apart_by_their_home) {
  fake_device::instance().reset(1);
  std::vector<shard_place> const places = {{execution(host_memory()), 0}, {execution(host_memory()), 1}};
  lane_pool lanes;
  lane const* first = nullptr;
  {
    lane_pool::loan const held(lanes, places, 0), other(lanes, places, 0);
    EXPECT_NE(&*held, &*other);
    first = &*held;
  }
  lane_pool::loan const elsewhere(lanes, places, 1);
  EXPECT_EQ(elsewhere->home(), 1);
  lane_pool::loan const again(lanes, places, 0), more(lanes, places, 0);
  EXPECT_TRUE(&*again == first || &*more == first);
}

}  // namespace
}  // namespace warpdex::test
