// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <utility>

struct CUstream_st;

/// @file
/// Where memory comes from and on which stream work runs. Both are explicit: every call that allocates
/// or launches takes an `execution`.
namespace warpdex {

enum class backend_kind : unsigned char { cpu, cuda };

/// Non-owning CUDA stream. The CPU backend ignores it and runs on the calling thread and its workers.
class stream_ref {
 public:
  stream_ref() = default;
  stream_ref(CUstream_st* stream) : stream_(stream) {}
  stream_ref(int) = delete;  // a literal 0 is more often a mistake than the default stream

  CUstream_st* get() const noexcept { return stream_; }

 private:
  CUstream_st* stream_ = nullptr;
};

/// Source of memory for one backend. Implementations must be safe to call from several threads.
/// A resource must outlive all indexes and results made with it.
class memory_resource {
 public:
  virtual ~memory_resource() = default;

  /// @return `bytes` bytes aligned to at least 256, usable by work submitted to `stream` afterwards
  /// @throws out_of_memory naming the size asked for
  virtual void* allocate(std::size_t bytes, stream_ref stream) = 0;

  /// Gives back what `allocate` returned; work submitted to `stream` before may still use it.
  virtual void deallocate(void* pointer, std::size_t bytes, stream_ref stream) noexcept = 0;

  /// Which backend can use this memory.
  virtual backend_kind backend() const noexcept = 0;
};

/// Host memory, on huge pages where the system grants them. Lives as long as the process.
memory_resource& host_memory();

/// Memory of the current CUDA device, from a stream-ordered pool.
/// @throws device_error if there is no usable device, unsupported if the library was built without CUDA
memory_resource& device_memory();

/// What each call runs on: a stream and the memory for results and scratch. For the CPU backend also the
/// number of threads (0: all cores; there are never more, and fewer if the system grants no more).
/// A null `memory` and negative `threads` are refused by every call.
struct execution {
  memory_resource* memory = &host_memory();
  stream_ref stream = {};
  int threads = 0;

  execution() = default;
  explicit execution(memory_resource& memory, stream_ref stream = {}, int threads = 0)
      : memory(&memory), stream(stream), threads(threads) {}
};

/// Owns bytes of a memory resource; move-only, never initialised. Freed on the stream it was made with, which must
/// still be there.
class buffer {
 public:
  buffer() = default;

  /// @throws out_of_memory, invalid_argument for an execution without memory
  buffer(std::size_t bytes, execution const& exec);
  ~buffer() { reset(); }

  buffer(buffer const&) = delete;
  buffer& operator=(buffer const&) = delete;
  buffer(buffer&& other) noexcept { swap(other); }
  buffer& operator=(buffer&& other) noexcept {
    reset();
    swap(other);
    return *this;
  }

  void* data() const noexcept { return data_; }
  template <class T> T* as() const noexcept { return static_cast<T*>(data_); }
  std::size_t bytes() const noexcept { return bytes_; }

  /// The stream may go before the buffer from now on, which is freed on the default stream instead. That does not wait
  /// for work on the stream.
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
