// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/memory.hpp>

#include <cstdint>
#include <optional>

#include "backend/strings/strings.hpp"
#include "base/types.hpp"

/// @file
/// The interface of a backend for everything but searches. The typed engines (cpu_engine.hpp, cuda_engine.cuh) search.
namespace warpdex {

/// Leaves with free slots (search/tree_leaves.hpp). The arrays have the width of a row id, and may be null as there.
struct leaf_order {
  std::uint64_t leaves = 0;
  std::uint64_t per_leaf = 0;
  int slot_bits = 0;
  void const* leaf_at = nullptr;
  void const* bases = nullptr;
  void const* leaf_of = nullptr;
};

/// The order of sorted entries in the slots of their arrays: if neither is named, slots are ranks.
struct slot_order {
  int fanout = 0;          ///< of an Eytzinger order (search/eytzinger_order.hpp), or 0
  leaf_order leaves = {};  ///< or no leaves

  bool by_rank() const noexcept { return fanout == 0 && leaves.leaves == 0; }
};

/// Encoded keys, or their hashes, in ascending order with their row ids; equal keys in order of row ids. Not owned.
struct sorted_view {
  void const* keys = nullptr;  ///< points to the first slot, as do `rows`
  void const* rows = nullptr;  ///< null if row ids are ranks, of an index over borrowed keys
  std::uint64_t size = 0;
  slot_order order = {};
};

/// The same, owned, in the memory of one backend. Arrays in Eytzinger order include the leading slots of the order and
/// the unused ones of its last node, with any contents.
struct sorted_pairs {
  buffer keys;
  buffer rows;
  std::uint64_t size = 0;
  std::optional<std::uint64_t> seed = std::nullopt;  ///< seed of the hashes, if the keys are hashes
  slot_order order = {};

  /// @return a view of the pairs, whose slots must be ranks
  sorted_view view() const noexcept { return {keys.data(), rows.data(), size}; }
};

/// The result of a sort, and the time of its two parts.
struct timed_pairs {
  sorted_pairs pairs;
  double prepare_seconds = 0;  ///< encoding and numbering the columns
  double sort_seconds = 0;
};

/// What is known of the bits of encoded keys. A device sorts by few bits in fewer passes.
struct known_bits {
  int low = 0;  ///< that many lowest ones may be in order already. If so, a device sorts by the others alone
  int end = 0;  ///< those from this one on are 0 in all keys; 0 if nothing is known
};

/// Distinct encoded keys, or their hashes, in ascending order.
struct sorted_keys {
  buffer keys;
  std::uint64_t size = 0;
};

/// The entries of sorted pairs that have one of some sorted keys, as one range of ranks per key. The range of key `i`
/// begins at rank first[i] and has before[i + 1] - before[i] entries.
struct found_ranges {
  buffer first;               ///< one 64-bit rank per key
  buffer before;              ///< keys + 1 64-bit counts: the entries in all ranges before that of key `i`
  std::uint64_t keys = 0;     ///< number of keys
  std::uint64_t entries = 0;  ///< entries in all ranges
};

/// A sorted column of encoded keys that a structure searches in place. The row id of a key is its position.
struct borrowed_keys {
  void const* data = nullptr;  ///< aligned to 16 bytes, within reach of the structure's backend
  bool remote = false;         ///< whether it is in host memory and the structure on a device
};

/// What one pass over a column of keys finds out.
struct key_order {
  std::optional<std::uint64_t> first_descent;  ///< position of the first key that is less than the one before it
  bool repeats = false;                        ///< whether two neighbours are equal
};

/// The memory to which a pointer leads. `device` is the ordinal of the device for device memory.
struct location {
  bool on_device = false;
  int device = -1;
  void const* from_device = nullptr;  ///< where devices read this host memory; null for memory that they cannot read
};

class backend {
 public:
  virtual ~backend() = default;

  /// Copies between any two kinds of memory; asynchronous on `exec.stream` if the backend has streams.
  virtual void copy(void* destination, void const* source, std::size_t bytes, execution const& exec) const = 0;
  virtual void synchronize(execution const& exec) const = 0;
  virtual void fill_zero(void* destination, std::size_t bytes, execution const& exec) const = 0;

  /// @return whether a graph records the stream of a call, so that the call must not wait
  virtual bool records(execution const& exec) const = 0;

  /// Encodes `keys` and sorts them with their row ids, or with their positions if `rows` is empty. With a seed it sorts
  /// their hashes (search/mix.hpp) instead of the keys. Both columns must be within this backend's reach. The data of a
  /// column of strings are references. Synchronises.
  /// @param row the type of the row ids, and of `rows`
  /// @throws invalid_argument if a row id is `no_row`
  virtual timed_pairs sort(column keys, std::optional<row_column> rows, row_type row, std::optional<std::uint64_t> seed,
                           execution const& exec, known_bits bits = {}) const = 0;

  /// @param keys codes of numbers (search/codec.hpp) @return these in ascending order. Synchronises
  virtual buffer sort_keys(void const* keys, std::uint64_t size, key_kind kind, execution const& exec) const = 0;

  /// @return numbers in ascending order, and the position of each, of type u32 or u64. Of equal ones the first position
  /// comes first. A device does not wait
  virtual sorted_pairs sort_numbers(row_column numbers, row_type positions, execution const& exec) const = 0;

  // Columns of strings (strings.hpp).

  /// @return an array of references to `size` strings
  virtual buffer references(string_source const& strings, std::uint64_t size, execution const& exec) const = 0;

  /// @return the same strings with another tail: their successors, or the ends of the ranges of prefixes
  virtual buffer with_tail(byte_key const* strings, std::uint64_t size, byte_key::tail behind,
                           execution const& exec) const = 0;

  /// Synchronises.
  /// @return the first string whose offsets descend, are beyond the bytes or are too far apart, if there is one
  virtual std::optional<std::uint64_t> first_bad_string(string_source const& strings, std::uint64_t size,
                                                        execution const& exec) const = 0;

  /// Copies strings one after the other. Synchronises.
  /// @param offset_bytes 4 or 8; 0 for 4 until the bytes need 8
  virtual packed_strings pack(byte_key const* strings, std::uint64_t size, int offset_bytes,
                              execution const& exec) const = 0;

  /// Synchronises.
  /// @return the position of the first number that is not below `limit`, if there is one
  virtual std::optional<std::uint64_t> first_not_below(std::uint64_t const* numbers, std::uint64_t size,
                                                       std::uint64_t limit, execution const& exec) const = 0;

  /// In place: values[i] becomes the sum of all values before it, and values[size] the total. Synchronises.
  /// @param values size + 1 numbers; the last one is ignored
  /// @return the total
  virtual std::uint64_t exclusive_scan(std::uint64_t* values, std::uint64_t size, execution const& exec) const = 0;

  /// In place: values[i] becomes the largest of values[0] to values[i].
  virtual void running_maximum(std::uint64_t* values, std::uint64_t size, execution const& exec) const = 0;
  virtual void running_maximum(std::uint32_t* values, std::uint64_t size, execution const& exec) const = 0;

  /// Reads the keys once; if they descend somewhere, again until it is found where. Synchronises.
  virtual key_order order_of(void const* keys, std::uint64_t size, key_kind kind, execution const& exec) const = 0;

  /// Synchronises.
  /// @return whether two entries have equal keys
  virtual bool repeats(sorted_view entries, pair_types types, execution const& exec) const = 0;

  // The steps of updates (merge.hpp). Each call may synchronise.

  /// @return each key of ascending `keys` once
  virtual sorted_keys distinct(void const* keys, std::uint64_t size, key_kind kind, execution const& exec) const = 0;

  /// @return the keys of `from` that are not among the ascending `others`
  virtual sorted_keys without(sorted_keys const& from, void const* others, std::uint64_t size, key_kind kind,
                              execution const& exec) const = 0;

  /// @return the entries of `from` that have one of `keys`
  virtual found_ranges find_ranges(sorted_view from, sorted_keys const& keys, pair_types types,
                                   execution const& exec) const = 0;

  /// Merges the entries of `from` outside of `erase` with those of `insert`. Reads both inputs once and writes the
  /// result once.
  /// @param insert pairs whose slots are ranks
  /// @return the merged pairs, in the slots that `order` names
  virtual sorted_pairs merge(sorted_view from, found_ranges const& erase, sorted_view insert, slot_order order,
                             pair_types types, execution const& exec) const = 0;
};

backend const& cpu_backend();

/// @throws unsupported if the library was built without CUDA
backend const& cuda_backend();

/// @throws unsupported as `cuda_backend`
backend const& backend_of(backend_kind kind);

/// @return the backend to which the memory of a call belongs
/// @throws unsupported as `cuda_backend`
backend const& backend_of(execution const& exec);

/// @return the memory to which `pointer` leads. If the build has no CUDA, or there is no driver or no usable device,
/// everything is host memory
/// @throws device_error if the driver cannot tell
location locate(void const* pointer);

/// @return the ordinal of the calling thread's current device
/// @throws device_error
/// @throws unsupported as `cuda_backend`
int current_device();

/// @return the device of a call, which is the current one; -1 for a call on the host
/// @throws as `current_device`
int device_of_call(execution const& exec);

/// Locks host memory that is only read, so that all devices reach it. Does nothing for no bytes.
/// @throws out_of_memory; device_error, also if the current device cannot read such memory
/// @throws unsupported as `cuda_backend`
void lock_pages(void const* memory, std::size_t bytes);

/// Undoes `lock_pages`. No device may be reading the memory.
void unlock_pages(void const* memory) noexcept;

}  // namespace warpdex
