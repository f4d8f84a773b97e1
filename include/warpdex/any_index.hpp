// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/error.hpp>
#include <warpdex/key_list.hpp>
#include <warpdex/lookups.hpp>
#include <warpdex/matches.hpp>
#include <warpdex/memory.hpp>
#include <warpdex/types.hpp>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpdex {

/// What an update changed.
struct update_counts {
  std::uint64_t inserted = 0;   ///< number of entries added
  std::uint64_t erased = 0;     ///< number of entries removed
  std::uint64_t cancelled = 0;  ///< number of distinct keys that were both inserted and erased
};

/// The calls that an index in one memory (`index`) and one that is spread over several (`sharded_index`) have in
/// common. What holds of all of them, such as where arrays may be and when a call synchronises, is at these classes.
class any_index {
 public:
  virtual ~any_index() = default;

  virtual std::uint64_t size() const = 0;            ///< number of entries
  virtual warpdex::key_type key_type() const = 0;    ///< type of the keys, as given to `build`
  virtual warpdex::row_type row_type() const = 0;    ///< type of the row ids, which answers have
  virtual std::string const& spec_text() const = 0;  ///< the spec with all choices filled in
  virtual bool ordered() const = 0;                  ///< whether bounds, floor and ranges are offered
  virtual memory_usage memory() const = 0;           ///< bytes that the index holds, and borrows

  /// Checks the order of all entries, and every other array of the index against the entries. Synchronises.
  /// Cost: a few passes over the arrays. Hash tables with row lists and B+trees that were updated in place need one
  /// byte of scratch per element of the row lists or per leaf.
  /// @throws format_error naming the first kind of damage found; invalid_argument, out_of_memory, device_error
  virtual void verify(execution const& exec) const = 0;

  /// Writes the index, so that the class's `load` reads it. Nothing appears under the name before all is written.
  /// Synchronises.
  /// Cost: writes every array once. An index on a device is first copied to the host as a whole, which needs as much
  /// host memory as the index takes on the device.
  /// @throws unsupported for an index `over_sorted`; io_error, out_of_memory, device_error; what was at `path` is then
  /// unchanged
  virtual void save(std::filesystem::path const& path) const = 0;

  /// @return the greatest row id; 0 if there are no entries. Synchronises. Cost: one pass over the row ids
  virtual std::uint64_t greatest_row(execution const& exec) const = 0;

  /// Gives row ids 64 bits, as the option `rows=u64` of specs does; nothing if they have them. For row ids that come
  /// later, and for languages whose integers of 32 bits have a sign. As with an update no lookup may run, and if it
  /// throws nothing has changed. Synchronises. Cost: a copy of all entries, and the layout part of a build.
  /// @throws unsupported for an index `over_sorted`; format_error as `insert`; invalid_argument, out_of_memory,
  /// device_error
  virtual void widen_rows(execution const& exec) = 0;

  /// @name Updates
  /// Each update is one batch, all or nothing: a call that throws has changed nothing. No lookup may run during an
  /// update, and none may be enqueued on another stream. The arrays may be wherever those of `build` may. All updates
  /// synchronise.
  ///
  /// Cost: one sort of the batch. Then B+trees, Harmonia and hash tables without repeated keys apply small batches in
  /// place: a few searches and rewritten nodes per key, and for the trees a few passes over arrays with one element per
  /// leaf. Otherwise the batch is merged with all entries, and the structure is made again for the new size, from the
  /// spec as given to `build`. This takes one merge pass and the layout part of a build. The memory of both structures,
  /// and scratch, is in use meanwhile. So an `insert` of a key that exists makes this and all later updates of a hash
  /// table take a pass over all entries; `insert_or_assign`, which leaves one entry of the key, does not. The first
  /// update of an index that was loaded with `check::structure` also costs a `verify`, because updates rely on the
  /// order of all entries.
  /// @{

  /// Adds entries. Keys may repeat within the batch, and may exist already. Cost: see "Updates".
  /// @param rows one row id per key, of the index's row type
  /// @throws invalid_argument for an array of the wrong type, length or memory space, for a row id that equals
  /// `no_row`, and if the row type cannot number all entries; format_error if `check::structure` has let pass what
  /// `verify` finds; out_of_memory, device_error
  virtual update_counts insert(column keys, row_column rows, execution const& exec) = 0;

  /// Removes all entries of each key. Keys may repeat within the batch, and need not exist. Cost: see "Updates".
  /// @throws as `insert`
  virtual update_counts erase(column keys, execution const& exec) = 0;

  /// Erases, then inserts. Keys in both columns cancel each other: their entries stay, and none is added (paper 003,
  /// section 4). Cost: see "Updates".
  /// @throws as `insert`
  virtual update_counts update(column insert_keys, row_column insert_rows, column erase_keys,
                               execution const& exec) = 0;

  /// Removes all existing entries of the given keys, then adds the given entries. An index with an order that has one
  /// entry for each of them, and none of them twice in the batch, has their row ids written in place (paper 004,
  /// section II.A), unless the index is in a mapped file. Cost: then a sort of the batch and a search per key, else see
  /// "Updates".
  /// @throws as `insert`
  virtual update_counts insert_or_assign(column keys, row_column rows, execution const& exec) = 0;

  /// @}

  /// @name Lookups that every index offers
  /// @{

  /// out[i] = 1 if a key equals probes[i], else 0.
  /// Cost per probe: one search, and one read of a key.
  /// @param out one byte per probe
  void contains(nullable_column const& probes, std::span<std::uint8_t> out, execution const& exec) const {
    look_up(lookups::contains, {probes}, {out}, exec);
  }

  /// out[i] = the smallest row id of the key probes[i]; `no_row` if the key does not exist.
  /// Cost per probe: one search, and one read of an entry; one more read in hash tables with row lists.
  /// @param out one row id per probe, of the index's row type
  void find(nullable_column const& probes, row_output out, execution const& exec) const {
    look_up(lookups::find, {probes}, {out}, exec);
  }

  /// Answers `find` in any order: rows[j] is the smallest row id of the key probes[positions[j]], or `no_row`. Each
  /// position occurs once. Their order may differ from call to call.
  /// Cost: that of `find`. Large batches on a GPU are partitioned by key anyway; they save the pass that brings the
  /// answers back to probe order.
  /// @param positions one per probe
  /// @param rows one row id per probe, of the index's row type
  /// @throws invalid_argument also for 2^32 probes or more
  void find_unordered(nullable_column const& probes, std::span<std::uint32_t> positions, row_output rows,
                      execution const& exec) const {
    look_up(lookups::find_unordered, {probes}, {rows, positions}, exec);
  }

  /// out[i] = number of entries whose key equals probes[i].
  /// Cost per probe: two searches; in hash tables one search, and one more read if they have row lists.
  /// @param out one value per probe
  void count(nullable_column const& probes, std::span<std::uint64_t> out, execution const& exec) const {
    look_up(lookups::count, {probes}, {out}, exec);
  }

  /// Returns all rows of each probe, in ascending order. Synchronises.
  /// Cost: that of `count`, a scan over the counts, and one read and one write per match. Takes 8 bytes of scratch per
  /// probe.
  matches retrieve(nullable_column const& probes, execution const& exec = {}) const {
    return list(lookups::retrieve, {probes}, exec);
  }

  /// Follows keys that refer to keys: returns of each probe the row that `find` gives, then that of the key
  /// `parents[row]`, and so on until a key does not exist or is its own parent (paper 004, section III.B, "hierarchical
  /// lookups"). The path of a probe that does not exist is empty. Synchronises.
  /// Cost per probe: a `find` for each row of the path, and one more. All probes go on together, so the call takes as
  /// many batches as the longest path has rows. Takes 16 bytes of scratch per row of a path, and 64 per probe.
  /// @param parents one key per entry, of the index's key type: parents[r] is the parent of the key with row id r
  /// @return the rows of each path, from the probe on
  /// @throws invalid_argument also if a path does not end, naming a row and a key of the cycle; and if a row id on a
  /// path is not below `size()`
  virtual matches ancestors(nullable_column const& probes, column parents, execution const& exec) const = 0;

  /// @}

  /// @name Lookups that need an order
  /// An index without an order (see `ordered()`) throws unsupported; the message names one that has an order.
  /// @{

  /// out[i] = number of entries whose key is less than probes[i]. This is the rank that the probe would get.
  /// Cost per probe: one search.
  /// @param out one value per probe
  /// @throws unsupported without an order
  void lower_bound(nullable_column const& probes, std::span<std::uint64_t> out, execution const& exec) const {
    look_up(lookups::lower_bound, {probes}, {out}, exec);
  }

  /// out[i] = number of entries whose key is not greater than probes[i].
  /// Cost per probe: one search.
  /// @param out one value per probe
  /// @throws unsupported without an order
  void upper_bound(nullable_column const& probes, std::span<std::uint64_t> out, execution const& exec) const {
    look_up(lookups::upper_bound, {probes}, {out}, exec);
  }

  /// keys[i], rows[i] = the largest key not above probes[i], and its smallest row id. If all keys are above the probe,
  /// rows[i] = `no_row` and keys[i] keeps its value.
  /// Cost per probe: one search and up to three reads; one more search if the found key repeats.
  /// @param keys one key per probe, of the index's key type; default-constructed if only rows are wanted. Strings have
  /// no fixed length: `keys_at` returns those of ranks
  /// @param rows one row id per probe, of the index's row type
  /// @throws unsupported without an order
  void floor(nullable_column const& probes, key_output keys, row_output rows, execution const& exec) const {
    look_up(lookups::floor, {probes}, {rows, keys}, exec);
  }

  /// keys[i], rows[i] = the smallest key not below probes[i], and its smallest row id. If all keys are below the probe,
  /// rows[i] = `no_row` and keys[i] keeps its value.
  /// Cost per probe: one search and two reads.
  /// @param keys as in `floor` @param rows as in `floor`
  /// @throws unsupported without an order
  void ceil(nullable_column const& probes, key_output keys, row_output rows, execution const& exec) const {
    look_up(lookups::ceil, {probes}, {rows, keys}, exec);
  }

  /// out[i] = number of entries in range i: entry e is in it if lower[i] <= e.key <= upper[i], where both bounds are
  /// closed. A range with its lower bound above its upper bound is empty.
  /// Cost per range: two searches.
  /// @param out one value per range
  /// @throws unsupported without an order
  void range_count(key_ranges const& ranges, std::span<std::uint64_t> out, execution const& exec) const {
    look_up(lookups::range_count, ranges, {out}, exec);
  }

  /// out[i] = sum of the row ids in range i, modulo 2^64. Bounds are as in `range_count`.
  /// Cost per range: two searches, and one read per entry in the range.
  /// @param out one value per range
  /// @throws unsupported without an order
  void range_sum(key_ranges const& ranges, std::span<std::uint64_t> out, execution const& exec) const {
    look_up(lookups::range_sum, ranges, {out}, exec);
  }

  /// first[i], counts[i] = the rank of the first entry in range i, and the number of entries in it. Bounds are as in
  /// `range_count`. The rank of an empty range is that of its lower bound; without lower bounds all ranks are 0.
  /// Cost per range: two searches.
  /// @param first one value per range
  /// @param counts one value per range
  /// @throws unsupported without an order
  void equal_range(key_ranges const& ranges, std::span<std::uint64_t> first, std::span<std::uint64_t> counts,
                   execution const& exec) const {
    look_up(lookups::equal_range, ranges, {first, counts}, exec);
  }

  /// Returns the rows of each range, in key order, then row order. Bounds are as in `range_count`. Synchronises.
  /// Cost: that of `range_count`, a scan over the counts, and one read and one write per match. Takes 8 bytes of
  /// scratch per range.
  /// @throws unsupported without an order
  matches range_retrieve(key_ranges const& ranges, execution const& exec = {}) const {
    return list(lookups::range_retrieve, ranges, exec);
  }

  /// out[i] = number of entries whose keys begin with prefixes[i]; the empty prefix begins all keys. Only for keys of
  /// type `bytes` (paper 004, section II.C). `prefix_range` makes ranges of prefixes of numbers.
  /// Cost per prefix: that of `range_count`; in GRT on a GPU one search and a half.
  /// @param out one value per prefix
  /// @throws unsupported without an order, and for numbers
  void prefix_count(nullable_column const& prefixes, std::span<std::uint64_t> out, execution const& exec) const {
    look_up(lookups::prefix_count, {prefixes}, {out}, exec);
  }

  /// out[i] = sum of the row ids of the entries whose keys begin with prefixes[i], modulo 2^64.
  /// Cost per prefix: that of `range_sum`.
  /// @throws as `prefix_count`
  void prefix_sum(nullable_column const& prefixes, std::span<std::uint64_t> out, execution const& exec) const {
    look_up(lookups::prefix_sum, {prefixes}, {out}, exec);
  }

  /// Returns the rows of the entries whose keys begin with each prefix, in key order, then row order. Synchronises.
  /// Cost: that of `range_retrieve`.
  /// @throws as `prefix_count`
  matches prefix_retrieve(nullable_column const& prefixes, execution const& exec = {}) const {
    return list(lookups::prefix_retrieve, {prefixes}, exec);
  }

  /// rows[i], lengths[i] = of the longest key that begins probes[i], the smallest row id and the length in bytes. The
  /// empty key begins all probes. If no key begins a probe, rows[i] = `no_row` and lengths[i] = 0. Only for keys of
  /// type `bytes`: domains by their labels from last to first, makers by the digits of a number. `prefix_borders`
  /// (prefix_borders.hpp) does the same for prefixes of numbers.
  /// Cost per probe: GRT goes down once. AO+BS makes two searches. In between it goes back from the last key not above
  /// the probe, in growing steps. It reads few keys where few begin with the same bytes, and at most about one per byte
  /// of the probe and doubling of their number, whatever the keys are. This takes 8 bytes of scratch per probe.
  /// @param rows one row id per probe, of the index's row type
  /// @param lengths one value per probe
  /// @throws as `prefix_count`
  void longest_prefix(nullable_column const& probes, row_output rows, std::span<std::uint32_t> lengths,
                      execution const& exec) const {
    look_up(lookups::longest_prefix, {probes}, {rows, lengths}, exec);
  }

  /// Returns the key of each rank: rank r is that of the entry with r entries before it, as `lower_bound` counts them.
  /// Synchronises.
  /// Cost per rank: one read of a key; for strings also one write of its bytes, and a scan over the lengths.
  /// @throws unsupported without an order; invalid_argument for a rank that is not below `size()`
  virtual key_list keys_at(std::span<std::uint64_t const> ranks, execution const& exec) const = 0;

  /// Returns the row id of each rank, one match per rank. So the entries from rank r on, with `keys_at`, are those in
  /// key order, and `upper_bound` - 1 leads to the last row of a key. Synchronises. Cost per rank: one read of a row
  /// id.
  /// @throws as `keys_at`
  virtual matches rows_at(std::span<std::uint64_t const> ranks, execution const& exec) const = 0;

  /// @}

  /// @name Lookups as values
  /// What the members above do, for code that handles all lookups alike. lookups.hpp lists them, and says what each
  /// takes and writes.
  /// @{

  /// Runs a lookup that writes answers.
  /// @param probes keys and prefixes are given as `lower` alone
  /// @param outputs the arrays that `what.writes` names, in that order
  /// @throws as the member of that name
  virtual void look_up(lookup const& what, key_ranges const& probes, std::initializer_list<lookup_output> outputs,
                       execution const& exec) const = 0;

  /// Runs a lookup that lists rows, except for `ancestors`. Synchronises.
  /// @throws as the member of that name; invalid_argument for other lookups
  virtual matches list(lookup const& what, key_ranges const& probes, execution const& exec) const = 0;

  /// @}

  /// @name One key, and answers in vectors
  /// The lookups above for a single key, a number, a string or a time, and for batches whose answers become vectors.
  /// All of them synchronise. `exec` belongs to the index's backend, as everywhere. A single key costs a call, a
  /// microsecond on a CPU and ten on a GPU: ask in batches where you can, and use `view` in loops of your own.
  /// @{

  /// @return the smallest row id of the key, if it exists
  template <detail::any_key Key> std::optional<std::uint64_t> find(Key const& key, execution const& exec = {}) const {
    return find_one(detail::single_key(key).view(), exec);
  }

  /// @return whether a key equals `key`
  template <detail::any_key Key> bool contains(Key const& key, execution const& exec = {}) const {
    std::uint8_t found = 0;
    contains(detail::single_key(key).view(), {&found, 1}, exec);
    return found != 0;
  }

  /// @return number of entries whose key equals `key`
  template <detail::any_key Key> std::uint64_t count(Key const& key, execution const& exec = {}) const {
    std::uint64_t found = 0;
    count(detail::single_key(key).view(), {&found, 1}, exec);
    return found;
  }

  /// @return one row id per probe; `no_row<Row>` for a miss. Row is the index's row type
  template <class Row = std::uint32_t>
  std::vector<Row> find(nullable_column const& probes, execution const& exec = {}) const {
    auto rows = detail::answers<Row>("find", probes.size);
    find(probes, row_output(rows), exec);
    return rows;
  }

  /// @return the row id of the largest key not above each probe, or `no_row<Row>`
  template <class Row = std::uint32_t>
  std::vector<Row> floor(nullable_column const& probes, execution const& exec = {}) const {
    auto rows = detail::answers<Row>("floor", probes.size);
    floor(probes, {}, row_output(rows), exec);
    return rows;
  }

  /// @return the row id of the smallest key not below each probe, or `no_row<Row>`
  template <class Row = std::uint32_t>
  std::vector<Row> ceil(nullable_column const& probes, execution const& exec = {}) const {
    auto rows = detail::answers<Row>("ceil", probes.size);
    ceil(probes, {}, row_output(rows), exec);
    return rows;
  }

  /// @return one byte per probe, 1 if its key exists
  std::vector<std::uint8_t> contains(nullable_column const& probes, execution const& exec = {}) const;

  /// @return one number per probe or range
  std::vector<std::uint64_t> count(nullable_column const& probes, execution const& exec = {}) const;
  std::vector<std::uint64_t> lower_bound(nullable_column const& probes, execution const& exec = {}) const;
  std::vector<std::uint64_t> upper_bound(nullable_column const& probes, execution const& exec = {}) const;
  std::vector<std::uint64_t> range_count(key_ranges const& ranges, execution const& exec = {}) const;
  std::vector<std::uint64_t> range_sum(key_ranges const& ranges, execution const& exec = {}) const;
  std::vector<std::uint64_t> prefix_count(nullable_column const& prefixes, execution const& exec = {}) const;
  std::vector<std::uint64_t> prefix_sum(nullable_column const& prefixes, execution const& exec = {}) const;

  /// @}

 protected:
  any_index() = default;
  /// For the classes that derive from it.
  /// @{
  any_index(any_index&&) = default;
  any_index& operator=(any_index&&) = default;
  /// @}

 private:
  std::optional<std::uint64_t> find_one(column probe, execution const& exec) const;
};

}  // namespace warpdex
