// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/device.hpp>
#include <warpdex/error.hpp>
#include <warpdex/key_list.hpp>
#include <warpdex/lookups.hpp>
#include <warpdex/matches.hpp>
#include <warpdex/memory.hpp>
#include <warpdex/spec.hpp>
#include <warpdex/structures.hpp>
#include <warpdex/types.hpp>

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <typeinfo>
#include <vector>

namespace warpdex {

class mapped_column;
class structure;  // one built structure in one memory space; see src/structures/structure.hpp

/// What an update changed.
struct update_counts {
  std::uint64_t inserted = 0;   ///< number of entries added
  std::uint64_t erased = 0;     ///< number of entries removed
  std::uint64_t cancelled = 0;  ///< number of distinct keys that were both inserted and erased
};

/// Seconds spent in the parts of a build, measured on the host. The stream is drained after each part.
struct build_times {
  double prepare = 0;  ///< copy and encode the key column, number or check the rows
  double sort = 0;     ///< sort the pairs
  double layout = 0;   ///< write the sorted pairs to the structure's arrays
};

/// An index over one key column.
///
/// Keys may repeat. Entries are ordered by key, then by row id. `find`, `floor` and `ceil` return the smallest row id
/// of a key, and the rows of a key are always listed in ascending order. Floats are ordered as numbers. -0.0 and +0.0
/// are the same key, and all NaN are one key, which follows +infinity.
///
/// **Threads.** All lookups are `const`. Several threads may call them at once, on several streams.
///
/// **Arrays.** Probe and output arrays may be on the host. For an index on a CUDA device they may also be on that
/// device. The library checks each pointer. Arrays that a call writes must not overlap each other, nor the arrays that
/// it reads. `exec.memory` provides results and scratch, and must belong to the index's backend.
///
/// **Synchronisation.** A lookup on a device index only enqueues work on `exec.stream` if all its arrays are on the
/// device. It synchronises that stream if any array is on the host, or if it returns `matches`. A lookup on a CPU index
/// is complete when the call returns.
///
/// **Lifetimes.** An index may outlive the streams on which it was built and updated. Result buffers are freed on the
/// stream of their call. Enqueued lookups must be complete before their index is destroyed. The caller may free the
/// arrays of a lookup on its stream as soon as the call returns.
///
/// **Types of probes.** Probes and bounds of ranges may be of any key type that has a common order with the index's
/// keys: all numbers have one, and so have dates and timestamps, and strings among themselves. Comparisons are
/// exact. 2.5, -1 and 2^32 equal no u32 key, but floor, ceil, bounds and ranges give them their place in the order. NaN
/// is above all integers. Probes of another type than the keys cost one more pass over them and at most 17 bytes of
/// scratch per probe or range.
///
/// **Nulls.** Probes and bounds may have validity bits (`nullable_column`). A null equals no key and has no place in
/// the order: its answer is 0, `no_row`, an empty list, or all bits set for a rank. The key that stands at a null is
/// not looked at; the offsets of a null string must be as good as others. A pass over the answers writes them.
///
/// **Ranges.** Bounds are closed unless `key_ranges` says that they are open, or that there is none. Ranges with an
/// open bound cost one more pass over the bounds; those with one bound cost one search.
///
/// **Strings.** A call with columns of strings takes 16 bytes of scratch per string, and 32 per prefix. Offsets of host
/// columns, and of all columns of builds and updates, are checked. A large host column is checked in parts while others
/// are on their way to the device; if it is refused, outputs may have been written in part. A lookup on a device column
/// does not wait for such a check: it takes of each string the part that is inside the column's bytes.
///
/// **Errors.** Every lookup throws invalid_argument for an array of the wrong type, length or memory space, and also
/// out_of_memory and device_error. An index that was moved from can only be destroyed and assigned to; every other call
/// throws invalid_argument.
///
/// **Cost.** The docs below state the cost of a lookup in searches. One search among n entries reads this number of
/// nodes:
///
///     AO+BS                      floor(log2 n) + 1           one key each; of strings the 8 bytes of a head, and an
///                                                            offset and the key where heads tie
///     AO+IS                      about log2(log2 n)          one key each, if keys are evenly spread;
///                                                            at most 3 times the visits of AO+BS
///     EO+BS (K = 2), EO+KS(K)    ceil(log_K(n + 1))          K-1 adjacent keys each
///     AO+PB+BS, AO+PB+KS(K)      ceil(log_K(n / (K-1))) + 1  K-1 keys each
///     PGM, RS                    about log2(2 eps / node)    32 bytes of adjacent keys each (64 on a CPU), besides the
///                                                            model, which is small
///     GRT                        at most one per byte of     a few sectors of 32 bytes each; then of a leaf about 3
///                                the key, and a leaf         keys, or for keys of more than 4 bytes one byte per
///                                                            entry and one key
///     B+, Harmonia               ceil(log_F(leaves)) + 1     at most F keys each, with F children per node
///     HT(open)                   expected constant           usually one bucket of 32 bytes
///     HT(buckets)                expected constant           1.6 quarters of 4 pairs at load 1
///
/// Large batches may be partitioned by key before they are searched, and their answers brought back to probe order
/// (docs/performance-window.md, docs/performance-cpu.md). That adds a few passes over probes and answers, and needs
/// scratch memory. On a GPU the cost of a range then does not depend on its length. Host arrays of a device index are
/// copied in chunks while other chunks are searched.
class index {
 public:
  /// Builds the index `s` over `keys`. The row id of a key is its position in the column. The backend is that of
  /// `exec.memory`. Synchronises.
  /// Cost: one sort of the pairs and one pass over them (paper 000, section 3.5). Hash tables sort by hash; they add a
  /// scan and, if a key repeats, passes that write the row lists.
  /// @throws spec_error, invalid_argument, unsupported, out_of_memory, device_error
  static index build(spec const& s, column keys, execution const& exec);

  /// Builds the index `s` over `keys` with the given row ids. Row ids may come in any order and repeat.
  /// Synchronises. Cost: as above.
  /// @param rows one row id per key
  /// @throws as above; invalid_argument also if the lengths differ, a row id equals `no_row`, or the spec's option
  /// `rows` names another type than that of `rows`
  static index build(spec const& s, column keys, row_column rows, execution const& exec);

  /// Makes the index `s` over keys that are sorted already, which it borrows: it searches them in place, without a copy
  /// and without a sort. The row id of a key is its position, so no row ids are stored either. Only what leads to the
  /// keys, such as pivots or a model, is made and held in the memory of `exec`. A device thus indexes columns that are
  /// larger than its memory (paper 002, section 3). Synchronises.
  ///
  /// For the CPU backend the column is in any host memory. For a device it is in that device's memory or in page-locked
  /// host memory (`pinned_memory`, `mapped_column`), which searches read over the link: one node of K-1 keys in
  /// AO+PB+KS(K); large batches wait for parts of it. The column must not move or change.
  ///
  /// All lookups and `verify` work. Updates and `save` throw unsupported. `memory` tells what is borrowed.
  /// Cost: one pass over the keys that checks their order, then reads of a pivot in K keys, or one pass that fits the
  /// model. `range_sum` needs no scan. Keys with a sign, floats and times are compared by codes, which are copied to
  /// the memory of `exec` in one more pass; the column may change then.
  /// @param s AO+BS, AO+IS, AO+PB+BS, AO+PB+KS(K), PGM, RS, GRT, cgRX or RX, in SoA
  /// @param keys numbers of at most 8 bytes, ascending; u32 and u64 aligned to 16 bytes, and best to 128
  /// @throws invalid_argument also for a column that is not sorted, and names the first position that is not;
  /// unsupported for other structures, layouts and key types; spec_error, out_of_memory, device_error
  static index over_sorted(spec const& s, column keys, execution const& exec);

  /// The same over a mapped file. All calls throw io_error once the file has become shorter; without the file, as
  /// above, a read of what it has lost ends the process. The column must live as long as the index.
  static index over_sorted(spec const& s, mapped_column const& keys, execution const& exec);

  /// Reads a file that `save` wrote (docs/format.md). By default checks everything, as `verify` does, so any file gives
  /// an error or a valid index. Synchronises.
  /// Cost: reads the file once, and then the cost of `verify`. With less checked no more is read than the arrays that
  /// are checked or copied: of a mapped file without checks nearly nothing, however large it is. For a device, each
  /// array passes through host memory of its size.
  /// @param map the CPU backend maps the file and uses it in place; it must not change while the index lives
  /// @param checks what to check (`check`, types.hpp): less only of files that you have written yourself
  /// @throws io_error, format_error, unsupported, out_of_memory, device_error
  static index load(std::filesystem::path const& path, execution const& exec, bool map = false,
                    check checks = check::all);

  /// Writes the index to a temporary file in the folder of `path`, flushes it to the disk, and renames it.
  /// Synchronises.
  /// Cost: writes every array once. An index on a device is first copied to the host as a whole, which needs as much
  /// host memory as the index takes on the device.
  /// @throws unsupported for an index `over_sorted`; io_error, out_of_memory, device_error; a previous file at `path`
  /// is then unchanged
  void save(std::filesystem::path const& path) const;

  /// @return the bytes of the file that `save` to a path writes. Synchronises. Cost: as there.
  /// @throws as there, but for io_error
  std::vector<std::byte> save() const;

  /// Reads an index from bytes that are those of an index file, and copies what it needs. Checks and cost: as for a
  /// file.
  /// @throws format_error, unsupported, out_of_memory, device_error
  static index load(std::span<std::byte const> bytes, execution const& exec, check checks = check::all);

  /// The same, but the CPU backend uses the bytes in place, as with a mapped file; they must not change while the index
  /// lives. Bytes that do not begin at a multiple of 64, such as those of a `std::vector`, are copied, and so are all
  /// for a device.
  /// @param owner kept for as long as the bytes are used
  static index load(std::span<std::byte const> bytes, std::shared_ptr<void const> owner, execution const& exec,
                    check checks = check::all);

  /// @return a copy of the index in the memory of `exec`, which may belong to the other backend. Synchronises.
  /// Cost: that of `save` and `load` in memory, without checks.
  /// @throws unsupported for an index `over_sorted`; out_of_memory, device_error
  index clone(execution const& exec) const;

  index(index&&) noexcept;
  index& operator=(index&&) noexcept;
  ~index();

  std::uint64_t size() const;  ///< number of entries
  warpdex::key_type key_type() const;
  warpdex::row_type row_type() const;
  backend_kind backend() const;
  std::string const& spec_text() const;       ///< the spec with all choices filled in
  bool ordered() const;                       ///< whether bounds, floor and ranges are offered
  memory_usage memory() const;                ///< bytes that the index holds, and borrows
  build_times const& times() const noexcept;  ///< of `build`; zeros after `load`

  /// Checks the order of all entries, and every other array of the index against the entries. Synchronises.
  /// Cost: a few passes over the arrays. Hash tables with row lists and B+trees that were updated in place need one
  /// byte of scratch per element of the row lists or per leaf.
  /// @throws format_error naming the first kind of damage found; invalid_argument, out_of_memory, device_error
  void verify(execution const& exec) const;

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
  update_counts insert(column keys, row_column rows, execution const& exec);

  /// Removes all entries of each key. Keys may repeat within the batch, and need not exist. Cost: see "Updates".
  /// @throws as `insert`
  update_counts erase(column keys, execution const& exec);

  /// Erases, then inserts. Keys in both columns cancel each other: their entries stay, and none is added (paper 003,
  /// section 4). Cost: see "Updates".
  /// @throws as `insert`
  update_counts update(column insert_keys, row_column insert_rows, column erase_keys, execution const& exec);

  /// Removes all existing entries of the given keys, then adds the given entries. An index with an order that has one
  /// entry for each of them, and none of them twice in the batch, has their row ids written in place (paper 004,
  /// section II.A), unless the index is in a mapped file. Cost: then a sort of the batch and a search per key, else see
  /// "Updates".
  /// @throws as `insert`
  update_counts insert_or_assign(column keys, row_column rows, execution const& exec);

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
  void find_any_order(nullable_column const& probes, std::span<std::uint32_t> positions, row_output rows,
                      execution const& exec) const {
    look_up(lookups::find_any_order, {probes}, {rows, positions}, exec);
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
  matches trace(nullable_column const& probes, column parents, execution const& exec) const;

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
  void rank_range(key_ranges const& ranges, std::span<std::uint64_t> first, std::span<std::uint64_t> counts,
                  execution const& exec) const {
    look_up(lookups::rank_range, ranges, {first, counts}, exec);
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
  void match_longest(nullable_column const& probes, row_output rows, std::span<std::uint32_t> lengths,
                     execution const& exec) const {
    look_up(lookups::match_longest, {probes}, {rows, lengths}, exec);
  }

  /// Returns the key of each rank: rank r is that of the entry with r entries before it, as `lower_bound` counts them.
  /// Synchronises.
  /// Cost per rank: one read of a key; for strings also one write of its bytes, and a scan over the lengths.
  /// @throws unsupported without an order; invalid_argument for a rank that is not below `size()`
  key_list keys_at(std::span<std::uint64_t const> ranks, execution const& exec) const;

  /// Returns the row id of each rank, one match per rank. So the entries from rank r on, with `keys_at`, are those in
  /// key order, and `upper_bound` - 1 leads to the last row of a key. Synchronises. Cost per rank: one read of a row
  /// id.
  /// @throws as `keys_at`
  matches rows_at(std::span<std::uint64_t const> ranks, execution const& exec) const;

  /// @}

  /// @name Lookups as values
  /// What the members above do, for code that handles all lookups alike. lookups.hpp lists them, and says what each
  /// takes and writes.
  /// @{

  /// Runs a lookup that writes answers.
  /// @param probes keys and prefixes are given as `lower` alone
  /// @param outputs the arrays that `what.writes` names, in that order
  /// @throws as the member of that name
  void look_up(lookup const& what, key_ranges const& probes, std::initializer_list<lookup_output> outputs,
               execution const& exec) const;

  /// Runs a lookup that lists rows, except for `trace`. Synchronises.
  /// @throws as the member of that name; invalid_argument for other lookups
  matches list(lookup const& what, key_ranges const& probes, execution const& exec) const;

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

  /// Returns the typed view of this index, for use inside a kernel or a loop of the caller's own (search/*.hpp). The
  /// view owns nothing. It is valid until the index is updated, assigned to or destroyed. Views know the width of their
  /// keys but not the type, so searches take the numbers that `encode` gives (search/codec.hpp), for example
  /// find(view, encode(-2.5)).
  /// @throws invalid_argument if the index has another view type; the message names both
  template <class View> View view() const { return *static_cast<View const*>(view(typeid(View))); }

  /// @return the C++ name of the type that `view` takes for this index
  std::string view_type() const;

 private:
  friend structure const& structure_of(index const& from, char const* call);
  friend class grouped_index;

  index(std::unique_ptr<structure> built, std::string asked, build_times times);
  std::optional<std::uint64_t> find_one(column probe, execution const& exec) const;
  void const* view(std::type_info const& type) const;

  /// @throws invalid_argument if the index was moved from
  structure const& built(char const* call) const;

  std::unique_ptr<structure> structure_;
  std::string asked_;  ///< the spec as given; resolved again when the size changes
  build_times times_;
};

}  // namespace warpdex
