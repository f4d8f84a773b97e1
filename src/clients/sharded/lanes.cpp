// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "clients/sharded/lanes.hpp"

#include <warpdex/current_device.hpp>

#include <algorithm>

namespace warpdex {

lane::lane(std::vector<shard_place> const& places, int home)
    : home_(home), places_(places), of_home_(pair_on(home, true)) {
  for (shard_place& place : places_) {
    auto const& lane = pairs_.emplace_back(pair_on(place.device, false));
    if (lane != nullptr) place.exec = place.exec.with_stream(lane->stream);
  }
}

std::unique_ptr<lane::own_pair> lane::pair_on(int device, bool first) {
  if (device < 0) return nullptr;
  device_scope const scope(device);
  return std::make_unique<own_pair>(first);
}

execution lane::on_home(execution const& exec) const {
  return of_home_ == nullptr ? exec : exec.with_stream(of_home_->stream);
}

bool lane::takes_part(std::size_t number, bool with_home) const {
  return pairs_[number] != nullptr && (with_home || places_[number].device != home_);
}

void lane::fork(stream_ref from, bool with_home) const {
  if (of_home_ == nullptr) return;
  of_home_->event.record(from);
  for (std::size_t i = 0; i < places_.size(); ++i)
    if (takes_part(i, with_home)) wait_for(pairs_[i]->stream, of_home_->event);
}

void lane::join(stream_ref to, bool with_home) const {
  if (of_home_ == nullptr) return;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (!takes_part(i, with_home)) continue;
    pairs_[i]->event.record(pairs_[i]->stream);
    wait_for(to, pairs_[i]->event);
  }
}

void lane::synchronize() const {
  if (of_home_ == nullptr) return;
  join(of_home_->stream);
  device_scope const here(home_);
  warpdex::synchronize(of_home_->stream);
}

lane_pool::loan::loan(lane_pool& from, std::vector<shard_place> const& places, int home) : from_(from) {
  {
    std::lock_guard const lock(from.guard_);
    auto const found =
        std::find_if(from.idle_.begin(), from.idle_.end(), [&](auto const& item) { return item->home() == home; });
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
  for (auto const& item : idle_) item->synchronize();
}

}  // namespace warpdex
