// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/any_index.hpp>
#include <warpdex/column.hpp>
#include <warpdex/memory.hpp>
#include <warpdex/spec.hpp>
#include <warpdex/types.hpp>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// One index over the GPUs of a host (docs/design/sharding.md).
namespace warpdex {

struct sharded_parts;  // src/clients/sharded/parts.hpp

/// Where the keys of a sharded index are.
enum class placement : std::uint8_t {
  replicate,  ///< all keys in each place; probes are dealt out. For indexes that fit: more probes per second
  range,      ///< each shard has the keys between two borders. For indexes that exceed one device: fewer bytes on each
  automatic,  ///< `replicate` if the pairs take at most 40 % of the least memory that is free in a place, else `range`
};

/// @return the name of a placement in Python and on the command line: replicate, range or auto
std::string_view to_string(placement how) noexcept;

/// @return the placement with this name @throws invalid_argument if there is none
placement parse_placement(std::string_view name);

/// What shards are built and searched with: a device and the resources of calls on it, or the host.
struct shard_place {
  execution exec = {};  ///< for what is on the shard and for its calls
  int device = -1;      ///< ordinal of the device; -1 for the host
};

/// @return a place on a device, with its `device_memory()`
/// @param stream of that device, which lives as long as the index
/// @throws device_error if there is no such device; unsupported if the library was built without CUDA
shard_place place_on(int device, stream_ref stream = {});

/// How fast bytes go from a device to another one, in bytes per second.
struct device_link {
  int from;                 ///< ordinal of the device that has the bytes
  int to;                   ///< ordinal of the one that gets them
  bool peers;               ///< whether each reads the other's memory, so that copies go directly
  double one_way = 0;       ///< alone
  double both_ways = 0;     ///< in both directions together, while as much comes back
  double through_host = 0;  ///< to page-locked host memory, and then from there
};

/// Measures the links between all pairs of devices. Synchronises. Takes 4 buffers of `bytes` bytes on devices and one
/// on the host.
/// @return one per ordered pair; none without two devices
/// @throws out_of_memory, device_error
std::vector<device_link> measured_links(std::uint64_t bytes = std::uint64_t{1} << 28);

/// A part of a sharded index.
struct shard_info {
  int device = -1;            ///< -1 for the host
  std::uint64_t entries = 0;  ///< number of entries
  memory_usage memory;        ///< bytes that it holds
};

/// One index in several places: the devices of a host, or parts of the CPU's work. Each shard is an `index`,
/// and any structure will do. It answers as one `index` over the whole column does: row ids are those of the column,
/// and ranks count the entries of all shards.
///
/// **Borders.** With `placement::range` shards are intervals of keys, for hash tables too. Borders come from a sample
/// of the keys and are between distinct keys, so all entries of a key are in one shard. If few keys are distinct, some
/// shards are empty. Updates do not move borders.
///
/// **Where calls run.** A call takes the execution of the place where its arrays are: of the host, or of a device of
/// the index, which is then the current one. Arrays may be on the host, or on that device. `exec.memory` provides
/// results and scratch; where devices read each other's memory, `device_memory()` provides scratch. Probes go from
/// there to the shards that have their keys, and answers come back. For arrays on the host each device copies its own
/// part. The current device of the calling thread does not change.
///
/// **Synchronisation.** Lookups of arrays on a device are ordered on `exec.stream`, as those of `index`; other calls
/// are complete when they return. With `range` a lookup may wait a few times, for the number of probes of each shard:
/// where shards share windows (docs/design/sharding.md), and for small batches, it does not.
///
/// **Threads.** As of `index`: several threads may look up at once, also with one stream per place.
///
/// **Errors.** As of `index`. What fails in a shard names the shard and its device, and leaves the index as it was.
/// An index that was moved from can only be destroyed and assigned to.
///
/// **Cost.** Where shards share windows, a probe in `range` takes what it takes in one index, and if its shard is on
/// another device, its key and its answer cross the link. Elsewhere it also takes a search among the borders, two
/// passes that deal it to its shard, and a gather of its answer; all shards answer a small batch. A range is asked of
/// every shard that it meets, and `longest_prefix` of all shards up to that of the probe. Takes up to 24 bytes of
/// scratch per probe, besides copies of probes and answers, of at most 2^28 probes at a time.
class sharded_index final : public any_index {
 public:
  /// Builds the shards of the index `s` over `keys`. The row id of a key is its position. Synchronises.
  /// Cost: for `range` a sort of a sample, and per key two searches among the borders and a copy to its shard; then the
  /// builds of all shards, those of different devices at the same time. Each device deals its piece of a column on the
  /// host. In the place of a shard this takes a copy of its keys with their row ids, besides what its build takes, and
  /// scratch for 2^26 keys where the column is.
  /// @param keys on the host, or on the device of one of the places
  /// @param places where shards are: no device twice; the host may occur several times
  /// @param shards number of shards of `range`, at most 65536; 0 for one per place. Consecutive shards share a place
  /// @throws as `index::build`; invalid_argument also for a wrong place, naming it
  static sharded_index build(spec const& s, column keys, placement how, std::span<shard_place const> places,
                             std::uint32_t shards = 0);

  /// The same over a column in pieces, such as one that was made on several devices. The row id of a key is its
  /// position in the pieces one after the other.
  /// @param pieces of one type of fixed length, each on the host or on the device of a place
  static sharded_index build_spread(spec const& s, std::span<column const> pieces, placement how,
                                    std::span<shard_place const> places, std::uint32_t shards = 0);

  /// The same with the given row ids. @param rows one row id per key, in the same memory as the keys or on the host
  static sharded_index build(spec const& s, column keys, row_column rows, placement how,
                             std::span<shard_place const> places, std::uint32_t shards = 0);

  /// Reads a folder that `save` wrote, to any number of places of any kind; if a save replaces it meanwhile, the new
  /// one. Synchronises. Cost: as `index::load`.
  /// @param map as in `index::load` @param checks the same
  /// @throws io_error, format_error, which name the file: one is missing, truncated, or of another index or shard;
  /// invalid_argument for a wrong place; out_of_memory, device_error
  static sharded_index load(std::filesystem::path const& folder, std::span<shard_place const> places, bool map = false,
                            check checks = check::all);

  /// The file of a folder that makes it a sharded index.
  static constexpr char const* manifest_name = "manifest.wdx";

  /// Writes a folder: an index file per shard, which `index::load` reads too, and the manifest. The manifest comes
  /// last; until then a sharded index that was in the folder remains readable. Its files are removed afterwards, and so
  /// are those of saves that were killed. Several processes may save at once: the last manifest stays.
  void save(std::filesystem::path const& folder) const override;

  /// Takes over all shards. The index that was moved from can be assigned to and destroyed; its calls throw
  /// invalid_argument.
  /// @{
  sharded_index(sharded_index&&) noexcept;
  sharded_index& operator=(sharded_index&&) noexcept;
  /// @}
  ~sharded_index() override;

  std::uint64_t size() const override;
  warpdex::key_type key_type() const override;
  warpdex::row_type row_type() const override;
  std::string const& spec_text() const override;  ///< that of the first shard; sizes may differ in others
  bool ordered() const override;
  memory_usage memory() const override;  ///< of all shards

  placement how() const;                   ///< `replicate` or `range`
  std::vector<shard_info> shards() const;  ///< in the order of their keys
  std::string explain() const;             ///< the placement and why, and a line per shard

  /// Verifies each shard. @param exec is not used: shards are verified where they are
  void verify(execution const& exec = {}) const override;
  std::uint64_t greatest_row(execution const& exec = {}) const override;
  void widen_rows(execution const& exec = {}) override;

  /// @name Updates and lookups, as `any_index` describes them
  /// An update of several shards changes copies of them, which then take their places; so it needs memory for them. It
  /// is in place where one shard alone changes. Probes of `rows_at`, `keys_at` and `find_unordered` come in their
  /// order.
  /// @{
  update_counts insert(column keys, row_column rows, execution const& exec) override;
  update_counts erase(column keys, execution const& exec) override;
  update_counts update(column insert_keys, row_column insert_rows, column erase_keys, execution const& exec) override;
  update_counts insert_or_assign(column keys, row_column rows, execution const& exec) override;
  matches ancestors(nullable_column const& probes, column parents, execution const& exec) const override;
  key_list keys_at(std::span<std::uint64_t const> ranks, execution const& exec) const override;
  matches rows_at(std::span<std::uint64_t const> ranks, execution const& exec) const override;
  void look_up(lookup const& what, key_ranges const& probes, std::initializer_list<lookup_output> outputs,
               execution const& exec) const override;
  matches list(lookup const& what, key_ranges const& probes, execution const& exec) const override;
  /// @}

  /// Runs a lookup over probes that are spread over the places, such as a column with a piece on each device. Each
  /// piece is a call in its place, on the stream of the place, and all run at the same time. Synchronises.
  /// @param probes a piece per place, where the place can read it: on its device, or on the host. Pieces may differ in
  /// length, and be empty
  /// @param outputs those of each piece
  /// @throws as `look_up`, naming the place; invalid_argument unless there is one piece per place
  void look_up_spread(lookup const& what, std::span<key_ranges const> probes,
                      std::span<std::vector<lookup_output> const> outputs) const;

 private:
  friend sharded_parts const& parts_of(sharded_index const& from, char const* call);
  friend void save(sharded_index const& from, std::filesystem::path const& folder, std::string_view note);

  explicit sharded_index(std::unique_ptr<sharded_parts> parts);

  /// @throws invalid_argument if the index was moved from
  sharded_parts& built(char const* call) const;

  std::unique_ptr<sharded_parts> parts_;
};

/// `sharded_index::save` with a note (note.hpp), which `note_of` reads from the manifest.
void save(sharded_index const& from, std::filesystem::path const& folder, std::string_view note);

}  // namespace warpdex
