// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/device.hpp>
#include <warpdex/error.hpp>
#include <warpdex/memory.hpp>
#include <warpdex/spec.hpp>
#include <warpdex/structures.hpp>
#include <warpdex/types.hpp>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <typeinfo>
#include <vector>

namespace warpdex {

class structure;  // one built structure in one memory space; see src/structures/structure.hpp

/// The rows of each probe of a batch: those of probe `i` are `rows[offsets[i]]` up to, not including,
/// `rows[offsets[i + 1]]`. Both arrays lie in the memory of the call's `execution`.
struct matches {
  buffer offsets;  ///< probes + 1 values of 64 bits
  buffer rows;     ///< `total` row ids of the index's row type
  std::uint64_t probes = 0;
  std::uint64_t total = 0;
};

/// What an update did.
struct update_counts {
  std::uint64_t inserted = 0;   ///< entries
  std::uint64_t erased = 0;     ///< entries
  std::uint64_t cancelled = 0;  ///< keys that were both inserted and erased
};

/// Seconds spent in the parts of the last build, as measured on the host with the stream drained.
struct build_times {
  double prepare = 0;  ///< copying, encoding and numbering the columns
  double sort = 0;
  double layout = 0;  ///< sorted pairs to the structure's arrays
};

/// An index over one key column.
///
/// Keys may repeat. Entries are ordered by key, then by row id; `find` and `floor` return the smallest
/// row id of a key, and every list of rows has that order. Floats are ordered as numbers, -0.0 and +0.0
/// are the same key, all NaN are one key that follows +infinity.
///
/// All lookups are `const` and safe to call from several threads, on several streams, at once. Probe and
/// output arrays may lie on the host or, for an index on a CUDA device, on that device; each pointer is
/// checked. A call whose arrays all lie on the device only enqueues work on `exec.stream` and does not
/// synchronise; a call that touches host arrays on behalf of a device index, and every call that returns
/// `matches`, synchronises that stream. CPU indexes always finish before the call returns.
///
/// `exec.memory` provides results and scratch and must belong to the index's backend.
///
/// An index may outlive the streams on which it was built and updated; buffers of results are freed on the stream of
/// their call. Lookups that were only enqueued must be done before their index is destroyed. The arrays of a call may
/// be freed on its stream right behind it.
///
/// Probes, and the bounds of ranges, may be of any key type that has an order among the index's keys: numbers of any
/// type among numbers, dates and timestamps among each other. They are compared exactly: 2.5, -1 and 2^32 equal no u32
/// key, and floor, bounds and ranges give them their place in order; NaN is above all integers. Probes of another type
/// than the keys' take 17 bytes of scratch each at most, and a pass over them more.
///
/// Arrays that a call writes must not overlap each other, nor the arrays that it reads.
///
/// Every lookup throws invalid_argument for arrays of the wrong type, length or place, out_of_memory, and
/// device_error. An index that was moved from can be destroyed and assigned to; everything else throws
/// invalid_argument.
class index {
 public:
  /// Builds `s` over `keys`; row ids are the positions in the column.
  /// The backend is that of `exec.memory`. Synchronises.
  /// Cost: one sort of the pairs and one pass over them (paper 000, section 3.5).
  /// @throws spec_error, invalid_argument, out_of_memory, device_error
  static index build(spec const& s, column keys, execution const& exec);

  /// The same with given row ids, one for each key; any order, repetition allowed.
  /// @throws invalid_argument also if the lengths differ, a row id equals `no_row`, or the spec's option
  /// `rows` names another type than that of the given rows
  static index build(spec const& s, column keys, row_column rows, execution const& exec);

  /// Reads what `save` wrote (docs/format.md). For the CPU backend and `map` set, the file is mapped
  /// and used in place, and must not change while the index lives.
  /// Everything is checked, the order of the keys too, so that any bytes give an error or a valid index.
  /// @throws io_error, format_error, out_of_memory, device_error
  static index load(std::filesystem::path const& path, execution const& exec, bool map = false);

  /// Writes the index to a temporary file beside `path`, flushes it to the disk, and renames it.
  /// Synchronises. @throws io_error; then a file that was at `path` before is still there, unchanged.
  void save(std::filesystem::path const& path) const;

  index(index&&) noexcept;
  index& operator=(index&&) noexcept;
  ~index();

  std::uint64_t size() const;  ///< number of entries
  warpdex::key_type key_type() const;
  warpdex::row_type row_type() const;
  backend_kind backend() const;
  std::string const& spec_text() const;  ///< the spec with all choices filled in
  bool ordered() const;                  ///< whether bounds, floor and ranges are offered
  memory_usage memory() const;
  build_times const& times() const noexcept;  ///< zeros after `load`

  /// Checks the order of all entries and every auxiliary array against them. Synchronises.
  /// @throws format_error naming the first kind of damage found
  void verify(execution const& exec) const;

  // Updates. Each is one batch, all or nothing: a call that throws has changed nothing. No lookup may run meanwhile,
  // none enqueued on another stream either. The arrays may lie where those of `build` may. Calls synchronise.
  // Cost: a structure that can applies a small batch in place; else the sorted batch is merged with the entries,
  // and the structure made anew for its new size, with the same spec. For that time there is memory for both,
  // and scratch.

  /// Adds entries. Keys may repeat, and be there already.
  /// @param rows one for each key, of the index's row type
  /// @throws invalid_argument for arrays of the wrong type, length or place, a row id that equals `no_row`, or if
  /// the entries exceed what the row type can number; out_of_memory, device_error
  update_counts insert(column keys, row_column rows, execution const& exec);

  /// Removes all entries of each key. Keys that are not there, or repeat, are no error.
  /// @throws as `insert`
  update_counts erase(column keys, execution const& exec);

  /// Erases, then inserts. A key that is in both columns is eliminated from both: its entries stay, and none is
  /// added (paper 003, section 4). @throws as `insert`
  update_counts update(column insert_keys, row_column insert_rows, column erase_keys, execution const& exec);

  /// Adds entries in the place of all that have one of their keys. @throws as `insert`
  update_counts insert_or_assign(column keys, row_column rows, execution const& exec);

  /// out[i] = 1 if a key equals probes[i], else 0.
  void contains(column probes, std::span<std::uint8_t> out, execution const& exec) const;

  /// out[i] = the smallest row id of the key probes[i], `no_row` if there is none.
  void find(column probes, row_output out, execution const& exec) const;

  /// The same as pairs in any order: rows[j] is the smallest row id of the key probes[positions[j]]. Each
  /// position comes once; which order they come in may differ from call to call. For large batches on a GPU,
  /// whose probes are partitioned by key anyway, this saves bringing the answers back in order.
  /// @throws invalid_argument also for 2^32 probes or more
  void find_any_order(column probes, std::span<std::uint32_t> positions, row_output rows, execution const& exec) const;

  /// out[i] = number of entries whose key equals probes[i].
  void count(column probes, std::span<std::uint64_t> out, execution const& exec) const;

  /// All rows of each probe. Counts, scans, fills: two searches a probe, one read a match.
  matches retrieve(column probes, execution const& exec) const;

  // What follows needs an order. An index without (`ordered()`) throws unsupported, which names one that has it.

  /// out[i] = number of entries whose key is less than probes[i]: the place in key order where it would go.
  void lower_bound(column probes, std::span<std::uint64_t> out, execution const& exec) const;

  /// out[i] = number of entries whose key is not greater than probes[i].
  void upper_bound(column probes, std::span<std::uint64_t> out, execution const& exec) const;

  /// The largest key not above probes[i], and its smallest row id. Below the smallest key, rows[i] is
  /// `no_row` and keys[i] is left as it was. `keys` may be default-constructed if only rows are wanted.
  void floor(column probes, key_output keys, row_output rows, execution const& exec) const;

  /// Ranges hold both their bounds: entry e is in range i if lower[i] <= e.key <= upper[i].
  /// A range with lower above upper is empty.
  /// out[i] = number of entries in range i.
  void range_count(column lower, column upper, std::span<std::uint64_t> out, execution const& exec) const;

  /// out[i] = sum of the row ids in range i, modulo 2^64.
  void range_sum(column lower, column upper, std::span<std::uint64_t> out, execution const& exec) const;

  /// The rows of each range in key order, then row order.
  matches range_retrieve(column lower, column upper, execution const& exec) const;

  /// The typed, non-owning view of this index for use inside a kernel or a loop of the caller's own
  /// (search/*.hpp). Valid while the index lives. Searches over it take the numbers that `encode` gives for keys
  /// (search/codec.hpp), as find(view, encode(-2.5)): views know the width of their keys, not the type.
  /// @throws invalid_argument if the index is not of this view type, naming both
  template <class View> View view() const { return *static_cast<View const*>(view(typeid(View))); }

  /// @return the C++ name of the type that `view` takes for this index
  std::string view_type() const;

 private:
  index(std::unique_ptr<structure> built, std::string asked, build_times times);
  void const* view(std::type_info const& type) const;

  /// @throws invalid_argument if the index was moved from
  structure const& built(char const* call) const;

  std::unique_ptr<structure> structure_;
  std::string asked_;  ///< the spec, to be resolved again when the size has changed
  build_times times_;
};

}  // namespace warpdex
