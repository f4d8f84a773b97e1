// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/grouped_loads.hpp"
#include "bench/line_reads.hpp"
#include "bench/measure.hpp"
#include "bench/moved_triangles.hpp"

#include <warpdex/column.hpp>
#include <warpdex/index.hpp>
#include <warpdex/memory.hpp>

#include <cstdint>
#include <memory>
#include <string>

/// @file
/// Baselines and limits of a CUDA device (gpu.cu). In a build without CUDA (no_gpu.cpp) they throw
/// `unsupported`. All arrays are on the device. All throw device_error and out_of_memory.
namespace warpdex::bench::gpu {

/// @return a timer of events on `exec.stream`
std::unique_ptr<timer> make_timer(execution const& exec);

/// @return runtime and driver, for example `13.0, driver 13.0` or `13.0, no driver`; empty in a build without CUDA
std::string version();

/// @param strings a column of `bytes`
/// @return references to its strings (search/byte_key.hpp): keys of type `bytes` for the calls below
buffer references(column strings, execution const& exec);

/// out[i] = position of the first of the sorted `keys` that is not less than probes[i].
void lower_bound(column keys, column probes, std::uint32_t* out, execution const& exec);

/// The same for the first that is greater.
void upper_bound(column keys, column probes, std::uint32_t* out, execution const& exec);

/// rows[i] = row of probes[i], found in a kernel by the view of a GRT with keys of the probes' type, in the layout SoA
/// and with rows of 32 bits.
void singular(index const& tree, column probes, std::uint32_t* rows, execution const& exec);

/// sums[i] = sum of the rows on the path of probes[i] (key_tree.hpp), found by the same view, of numbers alone.
/// @param parents per row the key of its parent
void singular_paths(index const& tree, column probes, column parents, std::uint32_t* sums, execution const& exec);

/// Reads `count` random 32-byte sectors of the `bytes` bytes at `data`, and writes their sum to `sink`.
void gather(void const* data, std::uint64_t bytes, std::uint64_t count, std::uint64_t seed, std::uint32_t* sink,
            execution const& exec);

/// @return host memory that the device reads and writes itself
memory_resource& pinned_memory();

/// Copies `bytes` bytes from pinned memory to the device.
void copy_to_device(void* destination, void const* source, std::uint64_t bytes, execution const& exec);

/// Copies in both directions of the link at once.
class two_way_copy {
 public:
  two_way_copy();
  ~two_way_copy();
  two_way_copy(two_way_copy const&) = delete;
  two_way_copy& operator=(two_way_copy const&) = delete;

  /// Copies `bytes` bytes from pinned memory to the device, and the same number of other bytes back.
  void run(void* on_device, void const* from_host, void* on_host, void const* from_device, std::uint64_t bytes,
           execution const& exec);

 private:
  struct streams;
  std::unique_ptr<streams> streams_;
};

/// A stream that waits for no other.
class own_stream {
 public:
  own_stream();
  ~own_stream();
  own_stream(own_stream const&) = delete;
  own_stream& operator=(own_stream const&) = delete;

  stream_ref get() const noexcept { return stream_; }
  /// Waits for its work.
  void wait() const;

 private:
  stream_ref stream_;
};

/// Starts a kernel that does nothing, with as many bytes of arguments as that of a lookup.
void start_nothing(execution const& exec);

/// Bounds by cub::DeviceFind, of keys of 4 and 8 bytes.
struct device_find {
  bool upper = false;
  bool sorted = false;  ///< whether the probes are sorted, of which the call makes use

  /// @return whether this build has it
  static bool present() noexcept;

  /// @return with the version of CUB
  std::string name() const;

  /// Asynchronous. @param scratch is made in the first call
  void run(column keys, column probes, std::uint64_t* out, buffer& scratch, execution const& exec) const;
};

/// Copies `bytes` bytes within the device.
void copy(void* destination, void const* source, std::uint64_t bytes, execution const& exec);

/// Sets `bytes` bytes to `value`.
void fill(void* data, unsigned char value, std::uint64_t bytes, execution const& exec);

/// @return whether `count` numbers are the same in both arrays. Synchronises.
bool equal(std::uint32_t const* a, std::uint32_t const* b, std::uint64_t count, execution const& exec);

/// sums[t] = what thread t of `threads` reads.
void grouped_loads(std::uint32_t const* data, bench::grouped_loads const& loads, std::uint32_t* sums,
                   std::uint64_t threads, execution const& exec);

/// Adds to `*total` the first 8 bytes of every line that is read.
/// @param lines on the device, or in pinned memory of the host
void read_lines(void const* lines, line_reads const& reads, std::uint64_t* total, execution const& exec);

/// Fits all boxes around their triangles, level by level.
void fit(moved_triangles const& triangles, execution const& exec);

/// found[i] = the triangle that a ray to probes[i] hits.
void trace(moved_triangles const& triangles, std::uint32_t const* probes, std::uint64_t count, std::uint32_t* found,
           execution const& exec);

/// Sorts (key, row) pairs by key, with cub::DeviceRadixSort. If `scratch` is empty, the call allocates it in the size
/// that the sort needs, and does not sort. Strings are copied and sorted with thrust::stable_sort_by_key, which
/// compares them and takes its own scratch.
void sort_pairs(column keys, void* sorted_keys, std::uint32_t const* rows, std::uint32_t* sorted_rows, buffer& scratch,
                execution const& exec);

}  // namespace warpdex::bench::gpu
