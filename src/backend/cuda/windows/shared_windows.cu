// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/shared_windows.hpp"

#include <warpdex/current_device.hpp>

#include <algorithm>
#include <bit>
#include <map>

#include "backend/cuda/windows/window.cuh"
#include "backend/cuda/windows/window_borders.cuh"
#include "backend/update/slots.hpp"
#include "base/types.hpp"

namespace warpdex {
namespace cuda {
namespace {

/// The entries of a shard, as window_borders.cuh reads them.
template <class Key, class Row, class Slots> struct shard_entries {
  using key_type = Key;
  using position = position_of<Row>;
  struct {
    Key const* keys;
    __device__ Key key(std::uint64_t slot) const { return keys[slot]; }
  } pairs;
  Slots slots;
  std::uint64_t size;

  __device__ std::uint64_t slot_of(position rank) const { return slots(rank); }
};

/// Calls make(entries, array) to fill an array on the device. @return a copy of it on the host
template <class Key, class Row, class T, class Make>
std::vector<T> made_of(sorted_view const& view, std::size_t count, Make const& make) {
  execution const exec(device_memory());
  std::vector<T> host(count);
  buffer const result(count * sizeof(T), exec);
  with_slots<Row>(view.order, [&]<class Slots>() {
    using entries = shard_entries<Key, Row, Slots>;
    for_each(exec, count,
             make(entries{{static_cast<Key const*>(view.keys)}, Slots(view.order, view.size), view.size},
                  result.template as<T>()));
  });
  read_back(host.data(), result.data(), result.bytes(), exec.stream.get());
  return host;
}

template <class T> buffer on_device(std::vector<T> const& array) {
  execution const exec(device_memory());
  buffer result(array.size() * sizeof(T), exec);
  cuda_backend().copy(result.data(), array.data(), result.bytes(), exec);
  cuda_backend().synchronize(exec);
  return result;
}

template <class Key, class Row> class windows_of_shards final : public shared_windows {
 public:
  windows_of_shards(std::vector<window_shard> const& shards, std::span<int const> homes) : shards_(shards.size()) {
    for (std::size_t s = 0; s < shards.size(); ++s) {
      shards_[s].entries = shards[s].entries;
      shards_[s].around.before = shards[s].before;
      devices_.push_back(shards[s].device);
    }
    std::uint64_t const size = shards.back().before + shards.back().entries.size;
    window_buckets<Key> all;
    all.geometry = bucket_geometry_of(size, sizeof(Key));
    std::vector<Key> ends = sample(1);
    set_surroundings(shards, ends);
    std::vector<Key> trees;
    if (!cut_evenly(all, ends)) trees = cut_by_splitters(all);
    for (int const home : homes) {
      device_scope const scope(home);
      window_buckets<Key>& here = buckets_[home];
      here.geometry = all.geometry;
      here.map = all.map;
      if (!trees.empty()) here.splitters = on_device(trees);
    }
  }

  /// @return whether all buckets fit into shared memory
  bool fit() const {
    return std::all_of(shards_.begin(), shards_.end(),
                       [](auto const& item) { return item.largest <= tuning::bucket_capacity; });
  }

  void point(point_batch const& batch, std::span<stream_ref const> streams, execution const& exec) const override {
    run(streams, exec, [&](auto const& windows) { return windows.point(batch); });
  }
  void range(range_batch const& batch, std::span<stream_ref const> streams, execution const& exec) const override {
    run(streams, exec, [&](auto const& windows) { return windows.range(batch); });
  }

 private:
  /// @return of each shard the first keys of `parts` equal parts, and then its last key
  std::vector<Key> sample(std::uint32_t parts) const {
    std::vector<Key> all;
    for (std::size_t s = 0; s < shards_.size(); ++s) {
      device_scope const scope(devices_[s]);
      auto const samples =
          made_of<Key, Row, Key>(shards_[s].entries, parts + 1, [&]<class Entries>(Entries const& from, Key* to) {
            return sample_keys<Entries>{from, parts, to};
          });
      all.insert(all.end(), samples.begin(), samples.end());
    }
    return all;
  }

  /// @param ends the first and the last key of each shard
  void set_surroundings(std::vector<window_shard> const& shards, std::vector<Key> const& ends) {
    for (std::size_t s = 1; s < shards.size(); ++s) {
      shards_[s].around.below = {true, ends[2 * s - 1], static_cast<Row>(shards[s - 1].last_row)};
      shards_[s - 1].around.above = {true, ends[2 * s], static_cast<Row>(shards[s].first_row)};
      shards_[s].around.lowest = ends[2 * s - 1] + 1;
      shards_[s - 1].around.highest = ends[2 * s] - 1;
    }
  }

  /// Cuts the keys of all shards into buckets of equal width. A border between shards is within a bucket, which both
  /// have.
  /// @return whether none is too large
  bool cut_evenly(window_buckets<Key>& all, std::vector<Key> const& ends) {
    std::uint32_t const count = all.geometry.buckets();
    all.map = make_linear_map(ends.front(), ends.back(), count);
    for (std::size_t s = 0; s < shards_.size(); ++s) {
      device_scope const scope(devices_[s]);
      auto const borders = made_of<Key, Row, std::uint64_t>(shards_[s].entries, count + 1,
                                                            [&]<class Entries>(Entries const& from, std::uint64_t* to) {
                                                              return find_borders<Entries>{from, all.map, to};
                                                            });
      std::uint32_t const first = s == 0 ? 0 : bucket_of(all.map, ends[2 * s - 1]);
      std::uint32_t const end = s + 1 == shards_.size() ? count : bucket_of(all.map, ends[2 * s + 2]) + 1;
      give(shards_[s], borders, first, end);
    }
    return fit();
  }

  /// Cuts them into buckets of equal size, of which none has two shards.
  std::vector<Key> cut_by_splitters(window_buckets<Key>& all) {
    // A tree has a power of two of parts. Those that no shard has are beyond all keys.
    auto const parts = std::bit_ceil(static_cast<std::uint32_t>(shards_.size()));
    std::uint64_t most = 0;
    for (auto const& shard : shards_) most = std::max(most, shard.entries.size);
    all.geometry = bucket_geometry_of(most * parts, sizeof(Key));
    std::uint32_t const each = std::max(1u, all.geometry.buckets() / parts);
    if (all.geometry.buckets() < parts) all.geometry = {parts, 0};
    std::uint32_t const count = all.geometry.buckets();
    std::vector<Key> const samples = sample(each);
    std::vector<Key> splitters(count, static_cast<Key>(-1));
    for (std::uint32_t s = 0; s < shards_.size(); ++s) {
      auto const mine = samples.begin() + static_cast<std::ptrdiff_t>(s * (each + 1));
      std::copy_n(mine, each, splitters.begin() + static_cast<std::ptrdiff_t>(s * each));
      if (s != 0) splitters[s * each] = mine[-1];  // a probe that equals a splitter is of the bucket before it
      std::uint64_t const size = shards_[s].entries.size;
      std::vector<std::uint64_t> borders(count + 1, size);
      for (std::uint64_t b = 0; b < (s + 1) * each; ++b) borders[b] = b < s * each ? 0 : (b - s * each) * size / each;
      device_scope const scope(devices_[s]);
      give(shards_[s], borders, s * each, (s + 1) * each);
    }
    return make_splitter_trees(splitters, all.geometry);
  }

  static void give(shard_buckets<Key, Row>& to, std::vector<std::uint64_t> const& borders, std::uint32_t first,
                   std::uint32_t end) {
    to.first = first;
    to.count = end - first;
    to.largest = 0;
    for (std::size_t b = 1; b < borders.size(); ++b) to.largest = std::max(to.largest, borders[b] - borders[b - 1]);
    to.borders = on_device(borders);
  }

  /// The searches of a call.
  struct searches final : search_stage {
    windows_of_shards const& of;
    std::span<stream_ref const> streams;

    searches(windows_of_shards const& of, std::span<stream_ref const> streams) : of(of), streams(streams) {}

    bool can(search_op op) const override { return take(op, false); }

    void operator()(search_op op, window_scratch const& scratch, execution const& exec) const override {
      for (stream_ref const stream : streams) wait_for(stream, exec.stream);
      for (std::size_t s = 0; s < of.shards_.size(); ++s) {
        device_scope const scope(of.devices_[s]);
        search_buckets<Key, Row>(of.shards_[s], op, scratch, execution(device_memory(), streams[s]));
        wait_for(exec.stream, streams[s]);
      }
    }
  };

  /// @param exec its memory is replaced by one to which all devices have access
  template <class Run> void run(std::span<stream_ref const> streams, execution const& exec, Run const& ask) const {
    searches const stage(*this, streams);
    execution const shared(device_memory(), exec.stream);
    if (!ask(windows_of_buckets<Key, Row>(buckets_.at(current_device()), stage, shared)))
      throw out_of_memory("device memory: no room for the smallest windows of shards");
  }

  std::vector<shard_buckets<Key, Row>> shards_;
  std::vector<int> devices_;
  std::map<int, window_buckets<Key>> buckets_;  ///< of all shards, on each home
};

}  // namespace
}  // namespace cuda

std::unique_ptr<shared_windows> share_windows(std::vector<window_shard> const& shards, pair_types types,
                                              std::span<int const> homes) {
  return with_types(types, [&]<class Key, class Row>() -> std::unique_ptr<shared_windows> {
    if constexpr (sizeof(Key) <= sizeof(std::uint64_t)) {
      auto result = std::make_unique<cuda::windows_of_shards<Key, Row>>(shards, homes);
      if (result->fit()) return result;
    }
    return nullptr;
  });
}

}  // namespace warpdex
