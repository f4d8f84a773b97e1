// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/current_device.hpp>
#include <warpdex/index.hpp>
#include <warpdex/sharded.hpp>

#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "backend/shared_windows.hpp"
#include "base/made_once.hpp"
#include "clients/sharded/lanes.hpp"
#include "request/lookup_batches.hpp"

/// @file
/// What a sharded index consists of, and how work reaches its places.
namespace warpdex {

/// The entry at one end of a shard.
struct end_entry {
  std::uint64_t row = no_row<std::uint64_t>;
  u128 key = 0;  ///< of numbers
};

struct shard {
  index entries;
  std::size_t place;
};

/// The first and the last entry of a shard with an order; without a row if there is no entry.
struct shard_ends {
  end_entry first;
  end_entry last;  ///< with the smallest row of its key
};

/// The borders in one place.
struct placed_borders {
  /// @param from on the host
  placed_borders(index const& from, execution const& to);

  index keys;
  buffer codes;  ///< of keys of at most 8 bytes, ascending
};

struct sharded_parts {
  placement how = placement::range;
  std::string why;  ///< the placement was chosen
  std::vector<shard_place> places;
  std::vector<shard> shards;
  std::vector<std::uint64_t> before;    ///< entries in the shards before each; then in all
  std::vector<placed_borders> borders;  ///< in each place, and on the host
  bool peers = false;                   ///< whether all places are devices that reach each other's memory
  made_once<std::vector<shard_ends>> ends;
  made_once<std::unique_ptr<shared_windows>> windows;  ///< null if the shards cannot share windows
  mutable lane_pool lanes;                             ///< of lookups; comes last, so that shards outlive what runs

  shard_place const& place_of(std::size_t number) const { return places[shards[number].place]; }
  structure const& like() const { return structure_of(shards.front().entries, "sharded_index"); }

  /// @return shards that differ in their keys: copies count once
  std::size_t parts_of_keys() const { return how == placement::range ? shards.size() : 1; }

  /// Counts the entries of all shards. To be called after they change.
  void count_entries();
};

/// @throws invalid_argument if the index was moved from
sharded_parts const& parts_of(sharded_index const& from, char const* call);

/// Makes the device of a place the current one. @param device -1 for the host, for which nothing changes
class place_scope {
 public:
  explicit place_scope(int device) {
    if (device >= 0) scope_.emplace(device);
  }

 private:
  std::optional<device_scope> scope_;
};

/// Where a call runs, and where its arrays are.
struct call_home {
  explicit call_home(execution const& from);
  execution const& exec;
  int device;  ///< -1 for the host

  bool is(shard_place const& place) const { return place.device == device; }
  /// Whether calls in a place take arrays that are here.
  bool reaches(shard_place const& place) const { return device < 0 || is(place); }
};

/// @return the borders where a call runs
/// @throws invalid_argument if it runs on a device that is not part of the index
placed_borders const& borders_at(sharded_parts const& parts, char const* call, call_home const& home);

/// The same for borders that `placed_in` has made for these places.
placed_borders const& borders_at(std::vector<shard_place> const& places, std::vector<placed_borders> const& borders,
                                 char const* call, call_home const& home);

/// Calls work(place) for each of some places, of which the device is the current one: on the calling thread, and, where
/// devices work, on threads of the library, if they have time.
/// @param by_threads whether these help
/// @throws what work throws in the first of them
void at_places(std::vector<shard_place> const& places, std::vector<std::size_t> const& busy,
               std::function<void(std::size_t)> const& work, bool by_threads = true);

/// Calls work(number) for each of some shards, as `at_places` does.
/// @throws what work throws, of the first shard that failed, whose text names it
void for_shards(sharded_parts const& parts, std::vector<std::size_t> const& numbers,
                std::function<void(std::size_t)> const& work);

/// The same for shards that are yet to be made. @param places of all shards
void for_shards(std::vector<shard_place> const& places, std::vector<std::size_t> const& place_of,
                std::vector<std::size_t> const& numbers, std::function<void(std::size_t)> const& work);

/// Calls work(). @throws what it throws, with a text that names a shard or a place
void name_failures(char const* what, std::size_t number, std::size_t count, int device,
                   std::function<void()> const& work);

/// @return the address that many bytes after the beginning of an array; null for none
template <class Void> Void* moved(Void* array, std::uint64_t bytes) {
  using byte = std::conditional_t<std::is_const_v<Void>, std::byte const, std::byte>;
  return array == nullptr ? nullptr : static_cast<byte*>(array) + bytes;
}

/// @return what messages call a device, or the host
std::string name_of_device(int device);

std::vector<std::size_t> numbers_below(std::size_t count);

/// @return the places of `count` shards: consecutive ones share a place
std::vector<std::size_t> places_of_shards(std::size_t count, std::size_t places);

/// @throws invalid_argument naming the place, if one cannot be that of a shard
void expect_places(char const* call, std::span<shard_place const> places);

/// Lets devices read and write each other's memory, and copy directly, where they can.
/// @return whether all places are devices, and all can
bool connect(std::span<shard_place const> places);

/// @return copies of borders, in each place and on the host @param borders on the host
std::vector<placed_borders> placed_in(std::vector<shard_place> const& places, index const& borders);

/// Makes the copies of the borders, and counts the entries. @param borders on the host
void complete(sharded_parts& parts, index const& borders);

/// @return the ends of all shards. The first call after a build or an update finds them, and synchronises
std::vector<shard_ends> const& ends_of(sharded_parts const& parts);

/// @return the windows that the shards share, or null. The first call makes them, and synchronises
shared_windows const* windows_of(sharded_parts const& parts);

/// @return bytes in the memory of another place; those of a device come with the stream of the device
buffer carried(void const* from, std::size_t bytes, shard_place const& to);

/// Copies between where a call runs and another place, which is the current device, on the stream of the place. If the
/// place is on the host, it waits for the call's stream and for the copy.
void send(void* to, void const* from, std::size_t bytes, call_home const& home, shard_place const& place);

/// Copies between any two memories, one of which is on the current device or on the host. Synchronises.
void carry(void* to, void const* from, std::size_t bytes, execution const& exec);

}  // namespace warpdex
