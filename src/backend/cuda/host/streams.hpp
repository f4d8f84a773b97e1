// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

#include "backend/cuda/check.hpp"
#include "backend/several_devices.hpp"

/// @file
/// Streams in addition to that of a call, and events by which streams wait for each other.
namespace warpdex::cuda {

/// An event of which the host asks whether it is past. One that was never recorded is.
class event : public own_event {
 public:
  void record(cudaStream_t stream) const { own_event::record(stream); }

  /// Makes later work on `stream` wait for the recorded work.
  void hold(cudaStream_t stream) const { WDX_CUDA_TRY(cudaStreamWaitEvent(stream, *this, 0)); }

  bool past() const {
    cudaError_t const status = cudaEventQuery(*this);
    if (status == cudaErrorNotReady) {
      cudaGetLastError();  // clears the error, or the next launch would report it
      return false;
    }
    WDX_CUDA_TRY(status);
    return true;
  }
};

/// A stream that does not wait for the default stream.
class side_stream {
 public:
  side_stream() { WDX_CUDA_TRY(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  ~side_stream() { cudaStreamDestroy(stream_); }
  side_stream(side_stream const&) = delete;
  side_stream& operator=(side_stream const&) = delete;

  operator cudaStream_t() const noexcept { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// @return whether a graph records a stream, so that its work must not be waited for
inline bool is_recorded(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  WDX_CUDA_TRY(cudaStreamIsCapturing(stream, &status));
  return status != cudaStreamCaptureStatusNone;
}

/// Copies a few bytes from the device to any memory of the host, after the work on `stream`. Synchronises. It waits
/// before it copies: a copy to pageable memory waits for earlier work inside the driver, which then keeps the copies of
/// other threads from starting (docs/performance/host.md).
inline void read_back(void* to, void const* from, std::size_t bytes, cudaStream_t stream) {
  WDX_CUDA_TRY(cudaStreamSynchronize(stream));
  WDX_CUDA_TRY(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream));
  WDX_CUDA_TRY(cudaStreamSynchronize(stream));
}

}  // namespace warpdex::cuda
