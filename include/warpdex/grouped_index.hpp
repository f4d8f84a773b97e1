// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/index.hpp>
#include <warpdex/key_encoder.hpp>
#include <warpdex/sharded.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Keys within groups: prices by symbol, readings by sensor. A lookup finds the keys of its probe's group alone.
namespace warpdex {

struct grouped_parts;  // what a grouped index is made of; see src/clients/join/grouped.hpp

/// An index over a column of groups and a column of keys. Several columns of groups become one by `key_encoder`.
///
/// The entries are those of an ordinary index over *places*: numbers of 64 bits with the number of a group in the upper
/// bits and that of a key in the lower ones. If the numbers fit together, both are counted from the smallest value of
/// their column. If not, the group is its number among the distinct groups; and if that does not suffice, the key is
/// its rank among the distinct keys. Strings and u128 are always numbered. So entries are in the order of their keys
/// within each group. What takes an `index` takes the entries: aggregates, joins, `rows_at`.
///
/// Lookups synchronise. Their arrays may be wherever those of an index may. Cost of each: that of the lookup in the
/// entries, and a pass per column that makes places; one `find` of the group, and a bound search of the key, if these
/// had to be numbered. Scratch: up to 17 bytes per probe and column.
class grouped_index {
 public:
  /// Builds it. A row whose group or key is null is left out. The row id of an entry is its position in the columns.
  /// Synchronises. Cost: that of `index::build`, and two passes over the columns; a sort of each column that had to be
  /// numbered.
  /// @param s of the entries; "AO+BS" unless you know better @param groups of any key type
  /// @param keys as long as `groups`, of any key type
  /// @throws as `index::build`; unsupported if the numbers of distinct groups and keys take more than 64 bits together
  static grouped_index build(spec const& s, nullable_column const& groups, nullable_column const& keys,
                             execution const& exec);

  /// Builds one whose entries are a `sharded_index`, as its `build` does. The columns are on the host, or on the device
  /// of one of the places. Files and copies need an index in one memory. An update with a group or a key that has no
  /// number yet takes all entries to the memory of its `exec`; it needs an order.
  /// @param how as for `sharded_index::build`, as are `places` and `shards` @throws as the other `build`, and as that
  /// one
  static grouped_index build(spec const& s, nullable_column const& groups, nullable_column const& keys, placement how,
                             std::span<shard_place const> places, std::uint32_t shards = 0);

  /// Takes a narrow encoder, and an index over keys that it made: a `sharded_index`, a mapped one, one that was built
  /// elsewhere. Calls then take executions as that index does; where they need numbers of groups or keys, these are
  /// copied to the memory of the first call there. Files and copies want the entries in one memory. The groups of an
  /// encoder of several leading fields are the keys that its wide encoder makes of them.
  /// @throws invalid_argument for a wide encoder, and for no entries or entries with other keys
  grouped_index(key_encoder const& encoder, std::unique_ptr<any_index> entries);

  /// Reads a file that `save` wrote (docs/reference/format.md). Synchronises.
  /// Cost and checks: those of `index::load`, and a table of the groups and keys that are numbered by rank. By default
  /// each entry must have the numbers of a group and a key: one more pass over them, of hash tables over a copy.
  /// @param map as for `index::load` @param checks the same
  /// @throws as `index::load`
  static grouped_index load(std::filesystem::path const& path, execution const& exec, bool map = false,
                            check checks = check::all);
  /// The same from the bytes of a file, of which it copies what it needs.
  static grouped_index load(std::span<std::byte const> bytes, execution const& exec, check checks = check::all);
  /// The same, but the CPU backend uses the entries in place, as `index::load` with an owner does.
  /// @param owner kept for as long as the bytes are used
  static grouped_index load(std::span<std::byte const> bytes, std::shared_ptr<void const> owner, execution const& exec,
                            check checks = check::all);

  /// Writes the index to a file, or returns its bytes. Synchronises. Cost: as for `index::save`, and as much host
  /// memory as the file takes.
  /// @throws as `index::save`
  void save(std::filesystem::path const& path) const;
  /// The same, as the bytes of a file. @throws as `index::save`, but for io_error
  std::vector<std::byte> save() const;

  /// @return the note of the file that the index was loaded from
  std::string const& note() const;

  /// @return a copy of the index in the memory of `exec`. Synchronises. Cost and errors: as for `index::clone`
  grouped_index clone(execution const& exec) const;

  /// Gives row ids 64 bits. Synchronises. Cost and errors: as for `index::widen_rows`
  void widen_rows(execution const& exec);

  /// Takes over all arrays. The index that was moved from can be assigned to and destroyed; its calls throw
  /// invalid_argument.
  /// @{
  grouped_index(grouped_index&&) noexcept;
  grouped_index& operator=(grouped_index&&) noexcept;
  /// @}
  ~grouped_index();

  std::uint64_t size() const;            ///< number of entries
  std::uint64_t bytes() const;           ///< of all arrays
  warpdex::key_type key_type() const;    ///< type of the keys, as given to `build`
  warpdex::key_type group_type() const;  ///< type of the groups, as given to `build`
  warpdex::row_type row_type() const;    ///< type of the row ids, which answers have

  /// @return the index over places
  /// @throws unsupported if they are in shards
  index const& entries() const;
  any_index const& any_entries() const;  ///< the same, wherever they are

  /// @return the narrow encoder of groups and keys, which makes probes for other indexes over the same keys
  key_encoder encoder() const;

  /// @name Updates
  /// As those of `index` of the same name; groups and keys have the types of `build`. A batch with a group or a key
  /// that has no number yet, because it is beyond those of the index or among values that have ranks, first makes the
  /// index again with numbers for all. Such an update costs a `build`, and takes the memory of both.
  /// @throws as the updates of `index`; unsupported as `build`
  /// @{

  /// Adds entries. @param rows one row id per key, of the index's row type @return what has changed
  update_counts insert(column groups, column keys, row_column rows, execution const& exec);
  /// Removes all entries of each key in its group. @return what has changed
  update_counts erase(column groups, column keys, execution const& exec);
  /// Erases, then inserts. A key that is inserted and erased in its group stays as it was. @return what has changed
  update_counts update(column insert_groups, column insert_keys, row_column insert_rows, column erase_groups,
                       column erase_keys, execution const& exec);
  /// Removes all entries of the given keys in their groups, then adds the given ones. @return what has changed
  update_counts insert_or_assign(column groups, column keys, row_column rows, execution const& exec);
  /// @}

  /// Synchronises. @param groups comparable with those of `build`, as many as probes @param probes comparable with the
  /// keys
  /// @throws invalid_argument for columns of other types or lengths, or in other memory; out_of_memory, device_error
  placed_points place_points(nullable_column const& groups, nullable_column const& probes, execution const& exec) const;

  /// Ranges for lookups, aggregates and joins: `amounts.in_ranges(g.entries(), placed.view(), out, exec)`.
  /// Synchronises.
  /// @param ranges one per group; all keys of the group if there is no bound @throws as `place_points`
  placed_ranges place_ranges(nullable_column const& groups, key_ranges const& ranges, execution const& exec) const;

  /// @name Lookups
  /// As those of `index` of the same name, within the group of each probe. A null group is as a null probe, and a group
  /// that does not exist has no entries.
  /// @throws as the lookups of `index`; invalid_argument also for groups that are not comparable with those of `build`,
  /// or not as many as the probes
  /// @{

  /// out[i] = 1 if the group has the key, else 0. @param out one byte per probe
  void contains(nullable_column const& groups, nullable_column const& probes, std::span<std::uint8_t> out,
                execution const& exec) const {
    look_up(lookups::contains, groups, {probes}, {out}, exec);
  }
  /// out[i] = the smallest row id of the key in its group, or `no_row`. @param out one row id per probe
  void find(nullable_column const& groups, nullable_column const& probes, row_output out, execution const& exec) const {
    look_up(lookups::find, groups, {probes}, {out}, exec);
  }
  /// out[i] = number of entries of the key in its group. @param out one value per probe
  void count(nullable_column const& groups, nullable_column const& probes, std::span<std::uint64_t> out,
             execution const& exec) const {
    look_up(lookups::count, groups, {probes}, {out}, exec);
  }
  /// @return all rows of each probe in its group, in ascending order
  matches retrieve(nullable_column const& groups, nullable_column const& probes, execution const& exec) const {
    return list(lookups::retrieve, groups, {probes}, exec);
  }
  /// keys[i], rows[i] = the largest key of the group not above the probe, and its smallest row id, or `no_row`.
  void floor(nullable_column const& groups, nullable_column const& probes, key_output keys, row_output rows,
             execution const& exec) const {
    look_up(lookups::floor, groups, {probes}, {rows, keys}, exec);
  }
  /// keys[i], rows[i] = the smallest key of the group not below the probe, and its smallest row id, or `no_row`.
  void ceil(nullable_column const& groups, nullable_column const& probes, key_output keys, row_output rows,
            execution const& exec) const {
    look_up(lookups::ceil, groups, {probes}, {rows, keys}, exec);
  }
  /// out[i] = number of entries of the group in range i. @param out one value per range
  void range_count(nullable_column const& groups, key_ranges const& ranges, std::span<std::uint64_t> out,
                   execution const& exec) const {
    look_up(lookups::range_count, groups, ranges, {out}, exec);
  }
  /// out[i] = sum of the row ids of the group in range i, modulo 2^64. @param out one value per range
  void range_sum(nullable_column const& groups, key_ranges const& ranges, std::span<std::uint64_t> out,
                 execution const& exec) const {
    look_up(lookups::range_sum, groups, ranges, {out}, exec);
  }

  /// Ranks are those of `entries`: group after group, in the order of their numbers. That of an empty range means
  /// nothing.
  void equal_range(nullable_column const& groups, key_ranges const& ranges, std::span<std::uint64_t> first,
                   std::span<std::uint64_t> counts, execution const& exec) const {
    look_up(lookups::equal_range, groups, ranges, {first, counts}, exec);
  }
  /// @return the rows of the group in each range, in key order, then row order
  matches range_retrieve(nullable_column const& groups, key_ranges const& ranges, execution const& exec) const {
    return list(lookups::range_retrieve, groups, ranges, exec);
  }

  /// Runs one of these lookups that writes answers.
  /// @throws as the member of that name; unsupported for other lookups
  void look_up(lookup const& what, nullable_column const& groups, key_ranges const& probes,
               std::initializer_list<lookup_output> outputs, execution const& exec) const;

  /// Runs one of these lookups that lists rows.
  /// @throws as the member of that name; unsupported for other lookups
  matches list(lookup const& what, nullable_column const& groups, key_ranges const& probes,
               execution const& exec) const;
  /// @}

 private:
  friend grouped_parts const& parts_of(grouped_index const& from, char const* call);

  explicit grouped_index(std::unique_ptr<grouped_parts> parts);

  /// @throws invalid_argument if the index was moved from
  grouped_parts const& built(char const* call) const;
  grouped_parts& updated(char const* call);

  std::unique_ptr<grouped_parts> parts_;
};

/// `grouped_index::save` with a note of the caller's, which the file keeps. @param note as in note.hpp
void save(grouped_index const& from, std::filesystem::path const& path, std::string_view note);
/// The same, as the bytes of a file.
std::vector<std::byte> save(grouped_index const& from, std::string_view note);

}  // namespace warpdex
