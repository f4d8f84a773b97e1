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

  /// Makes the work of all places wait for what a stream of the call's device has, and the other way round.
  /// @param with_home whether also that of the place there; otherwise it is on this stream
  void fork(stream_ref from, bool with_home = true) const;
  void join(stream_ref to, bool with_home = true) const;

  void synchronize() const;

 private:
  /// A stream of a device, and an event in it. Another stream there may use the event.
  struct own_pair {
    explicit own_pair(bool first) : stream(first) {}
    own_stream stream;
    own_event event;
  };

  static std::unique_ptr<own_pair> pair_on(int device, bool first);
  bool takes_part(std::size_t number, bool with_home) const;

  int home_;
  std::vector<shard_place> places_;
  std::vector<std::unique_ptr<own_pair>> pairs_;  ///< of each place; null for the host
  std::unique_ptr<own_pair> of_home_;             ///< null for the host
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
