// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/key_list.hpp>
#include <warpdex/key_set.hpp>
#include <warpdex/sharded.hpp>
#include <warpdex/types.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// @file
/// One set of keys over the GPUs of a host (docs/reference/sets.md).
namespace warpdex {

struct call_home;    // src/clients/sharded/parts.hpp
struct range_array;  // src/request/batches.hpp
class sharded_set;

/// `sharded_set::save` with a note (note.hpp), which the manifest keeps.
void save(sharded_set const& from, std::filesystem::path const& folder, std::string_view note);

/// A part of a sharded set.
struct set_shard {
  int device = -1;          ///< -1 for the host
  std::uint64_t keys = 0;   ///< number of keys
  std::uint64_t bytes = 0;  ///< that it takes
};

/// A set of distinct keys in several places: the devices of a host, or parts of the CPU's work. Each shard is a
/// `key_set` with the keys between two borders, which come from a sample of the keys. It answers as one `key_set` of
/// all keys does. Updates do not move borders, and a set that was built of no keys has none: all its keys will be in
/// one shard.
///
///     std::vector<shard_place> const places = {place_on(0), place_on(1)};
///     sharded_set seen = sharded_set::build(hashes, places);
///     std::vector<std::uint8_t> const known = seen.contains(more_hashes);
///
/// A copy shares the shards, which never change: an update gives new ones to the set that it changes.
///
/// **Where calls run.** A call that looks up takes the execution of the place where its arrays are: of the host, or of
/// a device of the set, which is then the current one. Arrays may be on the host, or on that device. Probes go from
/// there to the shards that have their keys, and answers come back; of arrays on the host each device takes its own
/// part, if all places are devices. Keys of builds and updates are on the host or on the device of any place. The
/// current device of the calling thread does not change.
///
/// **Synchronisation.** All calls are complete when they return.
///
/// **Threads.** As of `key_set`: all members are `const` but updates and assignments.
///
/// **Errors.** As of `key_set`. What fails in a shard names the shard and its device. A set that was moved from can
/// only be destroyed and assigned to.
///
/// **Cost.** A probe takes what it takes in a `key_set`, a search among the borders, two passes that deal it to its
/// shard, and a gather of its answer; 4 bytes of scratch, and copies of the probe and its answer.
class sharded_set {
 public:
  /// Builds the shards. Synchronises. Cost: a sort of a sample, and per key two searches among the borders and a copy
  /// to its shard; then the builds of all shards, those of different devices at the same time. In the place of a shard
  /// this takes a copy of its keys, besides what its build takes.
  /// @param keys as those of `key_set`, on the host or on the device of one of the places
  /// @param places where shards are: no device twice; the host may occur several times
  /// @param shards their number, at most 65536; 0 for one per place. Consecutive shards share a place
  /// @throws unsupported for strings; invalid_argument also for a wrong place, naming it
  static sharded_set build(nullable_column const& keys, std::span<shard_place const> places,
                           set_code code = set_code::automatic, std::uint32_t shards = 0);
  /// The same with a row of each key. @param rows one per key, where the keys are or on the host
  /// @throws invalid_argument also for another number of rows, and for a row that is `no_row`
  static sharded_set build(nullable_column const& keys, row_column rows, std::span<shard_place const> places,
                           set_code code = set_code::automatic, std::uint32_t shards = 0);

  /// @name Lookups, as those of `key_set`
  /// @{
  /// found[i] = whether probe i is in the set
  void contains(nullable_column const& probes, std::span<bool> found, execution const& exec) const;
  /// @return the flags in a vector
  std::vector<std::uint8_t> contains(nullable_column const& probes, execution const& exec = {}) const;
  /// rows[i] = the row of probe i, or `no_row<std::uint64_t>` if it is not in the set
  void find(nullable_column const& probes, std::span<std::uint64_t> rows, execution const& exec) const;
  /// @return the rows in a vector
  std::vector<std::uint64_t> find(nullable_column const& probes, execution const& exec = {}) const;
  /// @return how many of the probes are in the set
  std::uint64_t count(nullable_column const& probes, execution const& exec = {}) const;
  /// @}

  /// Returns the keys that are in this set or in the other one, in the places and between the borders of this one.
  /// Rows are those of `key_set::merge`. Cost: that of each shard; if the borders differ, the keys of the other set are
  /// decoded and dealt first.
  /// @throws invalid_argument also for a set of another key type, for one in other places, and for one without rows if
  /// this set keeps them
  sharded_set merge(sharded_set const& other) const;
  /// The same of the keys that are in both.
  sharded_set intersection(sharded_set const& other) const;
  /// The same of the keys that are in this set alone.
  sharded_set difference(sharded_set const& other) const;

  /// Adds keys. All or nothing: shards that get keys are made anew, and take their places at the end; so it needs
  /// memory for them. Waits for no calls of other threads, so none may run.
  /// @param keys of the type of the set @param exec whose stream has the keys, if they are on a device
  /// @return how many are new @throws unsupported for a set that keeps rows
  std::uint64_t insert(nullable_column const& keys, execution const& exec = {});
  /// The same with a row of each key. @throws unsupported for a set that keeps no rows; as `build`
  std::uint64_t insert(nullable_column const& keys, row_column rows, execution const& exec = {});
  /// The same, but takes keys out. @return how many there were
  std::uint64_t erase(nullable_column const& keys, execution const& exec = {});

  /// @return all keys, in ascending order, on the host. Scratch: the keys of a shard in its place
  key_list keys() const;

  /// Reads a folder that `save` wrote, to any number of places of any kind; if a save replaces it meanwhile, the new
  /// one. Cost: as `key_set::load`.
  /// @param map as in `key_set::load` @param checks the same
  /// @throws io_error, format_error, which name the file: one is missing, truncated, or of another set or shard;
  /// invalid_argument for a wrong place; out_of_memory, device_error
  static sharded_set load(std::filesystem::path const& folder, std::span<shard_place const> places, bool map = false,
                          check checks = check::all);

  /// Writes a folder: a file per shard, which `key_set::load` reads too, and the manifest, as `sharded_index::save`.
  /// @throws io_error, out_of_memory, device_error
  void save(std::filesystem::path const& folder) const { warpdex::save(*this, folder, {}); }

  std::string const& note() const noexcept { return note_; }  ///< of the folder that it was loaded from
  std::uint64_t size() const;                                 ///< number of keys
  warpdex::key_type key_type() const;                         ///< of the keys
  set_code code() const;                                      ///< `compressed` if a shard is, else `plain`
  int row_bits() const;                                       ///< most bits per row of a shard; 0 if it keeps none
  std::uint64_t bytes() const;                                ///< of all shards
  std::vector<set_shard> shards() const;                      ///< in the order of their keys
  std::vector<int> devices() const;                           ///< of the places, as they were given; -1 for the host

 private:
  friend void save(sharded_set const& from, std::filesystem::path const& folder, std::string_view note);
  struct layout;
  using shard_list = std::vector<std::shared_ptr<key_set const>>;
  using set_call = key_set (key_set::*)(key_set const& other, execution const& exec) const;

  sharded_set(std::shared_ptr<layout const> made, shard_list shards)
      : layout_(std::move(made)), shards_(std::move(shards)) {}

  static sharded_set build(nullable_column const& keys, row_column const* rows, std::span<shard_place const> places,
                           set_code code, std::uint32_t shards);
  /// @throws invalid_argument if the set was moved from
  layout const& built(char const* call) const;
  /// @return shards of the same keys between the borders of another set
  shard_list between_borders_of(char const* call, layout const& to, bool with_rows) const;
  void exchange(call_home const& home, range_array const& probes, std::uint64_t size, void* answers,
                std::size_t width) const;
  void ask_over_links(char const* call, nullable_column const& probes, void* answers, std::size_t width) const;
  void ask(char const* call, nullable_column const& probes, void* answers, std::size_t width,
           execution const& exec) const;
  sharded_set combined(char const* call, sharded_set const& other, set_call combine) const;
  std::uint64_t change(char const* call, nullable_column const& keys, row_column const* rows, set_call combine,
                       execution const& exec);

  std::shared_ptr<layout const> layout_;
  shard_list shards_;
  std::string note_;
};

}  // namespace warpdex
