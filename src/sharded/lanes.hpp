// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/sharded.hpp>

#include <memory>
#include <mutex>
#include <vector>

#include "backend/several_devices.hpp"

/// @file
/// Streams on which lookups overlap.
namespace warpdex {

/// Streams that one part of a lookup has for itself: one where the call runs, and one per place on a device. The first
/// deals probes and combines answers. Its kernels start before those of searches, so that the next part is dealt while
/// this one is searched.
class lane {
 public:
  lane(std::vector<shard_place> const& places, int home);

  int home() const { return home_; }  ///< the device of the call; -1 for the host

  /// @return a place, or a call, with the streams of this lane
  shard_place const& place(std::size_t number) const { return places_[number]; }
  execution on_home(execution const& exec) const;

  /// Makes the work of all places wait for what the stream of the call has, and the other way round.
  void fork() const;
  void join() const;

  void synchronize() const;

 private:
  own_stream const& stream_on(int device, bool first);

  int home_;
  std::vector<shard_place> places_;
  std::vector<std::unique_ptr<own_stream>> streams_;
  stream_ref home_stream_;
};

/// Lanes that are kept between calls.
class lane_pool {
 public:
  /// A lane for a while. What it was given may still be running when it goes back.
  class loan {
   public:
    loan(lane_pool& from, std::vector<shard_place> const& places, int home);
    ~loan();
    loan(loan const&) = delete;
    loan& operator=(loan const&) = delete;

    lane const& operator*() const { return *lane_; }
    lane const* operator->() const { return lane_.get(); }

   private:
    lane_pool& from_;
    std::unique_ptr<lane> lane_;
  };

  lane_pool() = default;
  lane_pool(lane_pool const&) = delete;
  lane_pool& operator=(lane_pool const&) = delete;
  ~lane_pool();  ///< waits for what runs on the lanes

  /// Waits for what runs on the lanes. Nobody may have one.
  void synchronize() const;

 private:
  std::mutex guard_;
  std::vector<std::unique_ptr<lane>> idle_;
};

}  // namespace warpdex
