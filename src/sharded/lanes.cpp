// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "sharded/lanes.hpp"

#include <warpdex/current_device.hpp>

#include <algorithm>

namespace warpdex {

lane::lane(std::vector<shard_place> const& places, int home) : home_(home), places_(places) {
  if (home >= 0) home_stream_ = stream_on(home, true);
  for (shard_place& place : places_)
    if (place.device >= 0) place.exec = place.exec.with_stream(stream_on(place.device, false));
}

own_stream const& lane::stream_on(int device, bool first) {
  device_scope const there(device);
  return *streams_.emplace_back(std::make_unique<own_stream>(first));
}

execution lane::on_home(execution const& exec) const { return home_ < 0 ? exec : exec.with_stream(home_stream_); }

void lane::fork() const {
  if (home_ < 0) return;
  device_scope const here(home_);
  for (shard_place const& place : places_)
    if (place.device >= 0) wait_for(place.exec.stream, home_stream_);
}

void lane::join() const {
  if (home_ < 0) return;
  for (shard_place const& place : places_) {
    if (place.device < 0) continue;
    device_scope const there(place.device);
    wait_for(home_stream_, place.exec.stream);
  }
}

void lane::synchronize() const {
  if (home_ < 0) return;
  join();
  device_scope const here(home_);
  warpdex::synchronize(home_stream_);
}

lane_pool::loan::loan(lane_pool& from, std::vector<shard_place> const& places, int home) : from_(from) {
  {
    std::lock_guard const lock(from.guard_);
    auto const found =
        std::find_if(from.idle_.begin(), from.idle_.end(), [&](auto const& one) { return one->home() == home; });
    if (found != from.idle_.end()) {
      lane_ = std::move(*found);
      from.idle_.erase(found);
    }
  }
  if (lane_ == nullptr) lane_ = std::make_unique<lane>(places, home);
}

lane_pool::loan::~loan() {
  std::lock_guard const lock(from_.guard_);
  try {
    from_.idle_.push_back(std::move(lane_));
  } catch (...) {  // no memory: it is made again
  }
}

// If this fails, a context is gone.
lane_pool::~lane_pool() {
  try {
    synchronize();
  } catch (...) {
  }
}

void lane_pool::synchronize() const {
  for (auto const& one : idle_) one->synchronize();
}

}  // namespace warpdex
