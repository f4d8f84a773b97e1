// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>

#include <optional>

struct CUevent_st;

/// @file
/// The CUDA device on which a thread's calls run, and the order of work on its streams.
namespace warpdex {

/// Makes a device the calling thread's current one for its life, and then the previous one again. All calls of the
/// library run on the current device. Cost: two quick calls of the CUDA runtime, and more if the device changes.
class device_scope {
 public:
  /// @throws device_error, also if there is no such device; unsupported if the library was built without CUDA
  explicit device_scope(int ordinal);
  ~device_scope();
  device_scope(device_scope const&) = delete;
  device_scope& operator=(device_scope const&) = delete;

 private:
  [[maybe_unused]] int previous_ = -1;  ///< -1 if the device was the current one already
};

/// @return the ordinal of the device to whose memory a pointer leads; none for host memory
/// @throws device_error
std::optional<int> device_of(void const* pointer);

/// Makes work that is submitted to `later` from now on wait for the work that `earlier` has. `earlier` is a stream of
/// the current device, `later` of any device. Does not synchronise.
/// @throws device_error, unsupported if the library was built without CUDA
void wait_for(stream_ref later, stream_ref earlier);

/// The same for an event that was recorded, a `cudaEvent_t`.
void wait_for(stream_ref later, CUevent_st* event);

/// Waits for all work of the current device. @throws device_error, unsupported if the library was built without CUDA
void synchronize_device();

}  // namespace warpdex
