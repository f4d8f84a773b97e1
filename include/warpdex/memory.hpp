// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

struct CUstream_st;

/// @file
/// Memory and streams. Both are explicit: every call that allocates memory or launches work takes an `execution`.
namespace warpdex {

/// Where an index is, and what runs its calls: the host's processor, or a CUDA device.
enum class backend_kind : unsigned char { cpu, cuda };

/// A CUDA stream, not owned. The CPU backend ignores it and runs on the calling thread and its workers.
class stream_ref {
 public:
  /// The default stream.
  stream_ref() = default;
  /// A stream of the caller's, which must exist as long as anything that is made on it.
  stream_ref(CUstream_st* stream) : stream_(stream) {}
  stream_ref(int) = delete;  // a literal 0 is more likely a mistake than the default stream

  CUstream_st* get() const noexcept { return stream_; }  ///< the stream for calls of CUDA; null for the default one

 private:
  CUstream_st* stream_ = nullptr;
};

/// A source of memory for one backend. Several threads may call it at once. It must outlive all indexes and results
/// made with it.
class memory_resource {
 public:
  virtual ~memory_resource() = default;

  /// @return `bytes` bytes, aligned to at least 256, for work that is submitted to `stream` afterwards
  /// @throws out_of_memory naming the requested size
  virtual void* allocate(std::size_t bytes, stream_ref stream) = 0;

  /// Frees memory that `allocate` returned. Work submitted to `stream` earlier may still use it.
  virtual void deallocate(void* pointer, std::size_t bytes, stream_ref stream) noexcept = 0;

  /// @return the backend that can use this memory
  virtual backend_kind backend() const noexcept = 0;
};

/// @return host memory, on huge pages where the system grants them. It lives as long as the process.
memory_resource& host_memory();

/// @return memory of the current CUDA device, from a stream-ordered pool
/// @throws device_error if there is no usable device, unsupported if the library was built without CUDA
memory_resource& device_memory();

/// @return page-locked host memory, which the host and all devices reach under the same addresses. Its backend is the
/// CPU's. Columns in it are copied to a device without a detour, and `index::over_sorted` searches them in place.
/// Locking costs a second per 16 GiB on 16 cores. Freeing waits for the work on the stream of the call.
/// @throws device_error if there is no usable device, unsupported if the library was built without CUDA
memory_resource& pinned_memory();

/// The resources of a call. Every call refuses a null `memory` and negative `threads`.
struct execution {
  memory_resource* memory = &host_memory();  ///< for results and scratch
  stream_ref stream = {};                    ///< where the work of a CUDA index goes
  int threads = 0;  ///< most threads on the CPU backend; 0 means all cores, which is also the limit

  /// Host memory, the default stream, all cores.
  execution() = default;
  /// @param from for results and scratch @param on for the work @param most_threads 0 for all cores
  explicit execution(memory_resource& from, stream_ref on = {}, int most_threads = 0)
      : memory(&from), stream(on), threads(most_threads) {}

  /// @name The same resources, but for one
  /// @{

  execution with_memory(memory_resource& from) const { return changed(&execution::memory, &from); }  ///< in that memory
  execution with_stream(stream_ref on) const { return changed(&execution::stream, on); }  ///< on another stream
  /// With at most so many threads; 0 for all cores.
  execution with_threads(int most) const { return changed(&execution::threads, most); }
  /// @}

 private:
  template <class T> execution changed(T execution::*what, T to) const {
    execution result = *this;
    result.*what = to;
    return result;
  }
};

/// Owns bytes of a memory resource. The bytes are not initialised. A buffer is freed on the stream that it was made
/// with, which must still exist.
class buffer {
 public:
  buffer() = default;

  /// @throws out_of_memory, invalid_argument for an execution without memory
  buffer(std::size_t bytes, execution const& exec);
  ~buffer() { reset(); }

  buffer(buffer const&) = delete;
  buffer& operator=(buffer const&) = delete;
  /// Takes over the bytes. The buffer that was moved from is empty.
  /// @{
  buffer(buffer&& other) noexcept { swap(other); }
  buffer& operator=(buffer&& other) noexcept {
    reset();
    swap(other);
    return *this;
  }
  /// @}

  void* data() const noexcept { return data_; }  ///< the first byte; null if there are none
  template <class T> T* as() const noexcept { return static_cast<T*>(data_); }  ///< the bytes as elements of a type
  std::size_t bytes() const noexcept { return bytes_; }                         ///< number of bytes

  /// Allows the stream to be destroyed before the buffer. The buffer will be freed on the default stream, which does
  /// not wait for work on its own stream.
  void outlive_stream() noexcept { stream_ = {}; }

 private:
  void reset() noexcept;
  void swap(buffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(memory_, other.memory_);
    std::swap(stream_, other.stream_);
  }

  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  memory_resource* memory_ = nullptr;
  stream_ref stream_;
};

}  // namespace warpdex
