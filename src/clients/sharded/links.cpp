// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/device.hpp>
#include <warpdex/sharded.hpp>

#include <future>

#include "backend/several_devices.hpp"
#include "base/api_border.hpp"
#include "base/signals_blocked.hpp"
#include "base/stopwatch.hpp"
#include "clients/sharded/parts.hpp"
#include "clients/sharded/tuning.hpp"

namespace warpdex {
namespace {

/// Copies on the stream of a place, several times.
void copy_often(shard_place const& on, buffer const& to, buffer const& from) {
  device_scope const here(on.device);
  for (int i = 0; i < tuning::measured_copies; ++i) carry(to.data(), from.data(), from.bytes(), on.exec);
}

/// Calls work() on a thread of its own. @return its end, which throws what work throws, and waits for it if dropped
template <class Work> std::future<void> at_same_time(Work const& work) {
  signals_blocked const none;
  return std::async(std::launch::async, work);
}

/// @return bytes per second of some copies
template <class Copies> double rate_of(std::uint64_t bytes, Copies const& copies) {
  copies();
  stopwatch watch;
  copies();
  return static_cast<double>(bytes) * tuning::measured_copies / watch.lap();
}

device_link measured(shard_place const& from, shard_place const& to, std::uint64_t bytes) {
  auto const room = [&](shard_place const& on) {
    device_scope const here(on.device);
    return buffer(bytes, on.exec);
  };
  device_link link{from.device, to.device, connect_devices(from.device, to.device)};
  link.peers = connect_devices(to.device, from.device) && link.peers;
  buffer const sent = room(from), received = room(to), sent_back = room(to), received_back = room(from);
  buffer const between(bytes, execution(pinned_memory()));
  link.one_way = rate_of(bytes, [&] { copy_often(from, received, sent); });
  link.both_ways = rate_of(2 * bytes, [&] {
    auto back = at_same_time([&] { copy_often(to, received_back, sent_back); });
    copy_often(from, received, sent);
    back.get();
  });
  link.through_host = rate_of(bytes, [&] {
    copy_often(from, between, sent);
    copy_often(to, received, between);
  });
  return link;
}

}  // namespace

std::vector<device_link> measured_links(std::uint64_t bytes) {
  return run_call("measured_links", [&] {
    std::vector<device_link> links;
    std::vector<shard_place> places;
    for (device_info const& device : devices()) places.push_back(place_on(device.ordinal));
    for (shard_place const& from : places)
      for (shard_place const& to : places)
        if (from.device != to.device) links.push_back(measured(from, to, bytes));
    return links;
  });
}

}  // namespace warpdex
