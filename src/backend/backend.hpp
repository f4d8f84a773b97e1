// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/memory.hpp>

#include <cstdint>
#include <optional>

#include "base/types.hpp"

/// @file
/// What the library needs of a backend outside the typed engines (cpu_engine.hpp, cuda_engine.cuh).
namespace warpdex {

struct round_probe;
struct answer_miss;
struct take_floor_key;

/// In which slots of their arrays sorted entries lie.
struct slot_order {
  int fanout = 0;  ///< of the Eytzinger order (search/eytzinger_order.hpp); 0 if slots are ranks
};

/// Encoded keys, or their hashes, in ascending order, equal keys by row id; not owned.
struct sorted_view {
  void const* keys = nullptr;  ///< the first slot
  void const* rows = nullptr;
  std::uint64_t size = 0;
  slot_order order = {};
};

/// The same, owned, in the memory of one backend. Arrays in Eytzinger order have its leading and last slots, whatever
/// these hold.
struct sorted_pairs {
  buffer keys;
  buffer rows;
  std::uint64_t size = 0;
  std::optional<std::uint64_t> seed = std::nullopt;  ///< of the hashes, if the keys are hashes
  slot_order order = {};

  /// Of pairs whose slots are ranks.
  sorted_view view() const noexcept { return {keys.data(), rows.data(), size}; }
};

/// What a sort made, and how long its two parts took.
struct timed_pairs {
  sorted_pairs pairs;
  double prepare_seconds = 0;  ///< encoding and numbering the columns
  double sort_seconds = 0;
};

/// Distinct encoded keys, or their hashes, in ascending order.
struct sorted_keys {
  buffer keys;
  std::uint64_t size = 0;
};

/// Which entries of sorted pairs have one of some sorted keys: for key `i`, those that begin at `first[i]`, and
/// before them there are `before[i]` such entries.
struct found_ranges {
  buffer first;   ///< a 64-bit number for each key
  buffer before;  ///< the same, and at the end the number of all
  std::uint64_t keys = 0;
  std::uint64_t entries = 0;
};

/// Where a pointer leads. `device` is the ordinal for device memory.
struct location {
  bool on_device = false;
  int device = -1;
};

class backend {
 public:
  virtual ~backend() = default;

  /// Copies between any places; asynchronous on `exec.stream` where the backend has streams.
  virtual void copy(void* destination, void const* source, std::size_t bytes, execution const& exec) const = 0;
  virtual void synchronize(execution const& exec) const = 0;
  virtual void fill_zero(void* destination, std::size_t bytes, execution const& exec) const = 0;

  /// Encodes `keys` and sorts them with their rows, or with their positions if there are none. With a seed it
  /// sorts their hashes (search/mix.hpp) in their place.
  /// `rows` has the width `row`. Both columns lie in this backend's reach.
  /// @throws invalid_argument if a row id is `no_row`
  virtual timed_pairs sort(column keys, std::optional<row_column> rows, row_type row, std::optional<std::uint64_t> seed,
                           execution const& exec) const = 0;

  /// In place: values[i] becomes the sum of the values before i, values[size] the total. Synchronises.
  /// @param values size + 1 numbers; the last is ignored @return the total
  virtual std::uint64_t exclusive_scan(std::uint64_t* values, std::uint64_t size, execution const& exec) const = 0;

  /// In place: values[i] becomes the largest of values[0] to values[i].
  virtual void running_maximum(std::uint64_t* values, std::uint64_t size, execution const& exec) const = 0;
  virtual void running_maximum(std::uint32_t* values, std::uint64_t size, execution const& exec) const = 0;

  // What probes of another type than the keys' need (rounding.hpp): `step(i)` for all i below `size`.
  virtual void for_each(round_probe const& step, std::uint64_t size, execution const& exec) const = 0;
  virtual void for_each(answer_miss const& step, std::uint64_t size, execution const& exec) const = 0;
  virtual void for_each(take_floor_key const& step, std::uint64_t size, execution const& exec) const = 0;

  // What updates are made of (merge.hpp). Each call may synchronise.

  /// @return each key of ascending `keys` once
  virtual sorted_keys distinct(void const* keys, std::uint64_t size, std::size_t width,
                               execution const& exec) const = 0;

  /// @return the keys of `from` that are not among the ascending `others`
  virtual sorted_keys without(sorted_keys const& from, void const* others, std::uint64_t size, std::size_t width,
                              execution const& exec) const = 0;

  /// @return the entries of `from` with one of `keys`
  virtual found_ranges find_ranges(sorted_view from, sorted_keys const& keys, pair_widths widths,
                                   execution const& exec) const = 0;

  /// @return the entries of `from` outside of `erase`, and those of `insert`, in the slots that `order` says. `from`
  /// and `insert` are read once, the result is written once.
  /// @param insert its slots are ranks
  virtual sorted_pairs merge(sorted_view from, found_ranges const& erase, sorted_view insert, slot_order order,
                             pair_widths widths, execution const& exec) const = 0;
};

backend const& cpu_backend();

/// @throws unsupported if the library was built without CUDA
backend const& cuda_backend();

/// @throws unsupported as `cuda_backend`
backend const& backend_of(backend_kind kind);

/// Where `pointer` leads. Without CUDA in the build, a driver or a usable device, everything is host memory.
/// @throws device_error if the device does not say
location locate(void const* pointer);

/// Ordinal of the calling thread's current device. @throws device_error, unsupported as `cuda_backend`
int current_device();

}  // namespace warpdex
