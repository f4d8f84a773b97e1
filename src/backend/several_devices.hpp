// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>

#include <cstdint>

struct CUevent_st;

/// @file
/// What a call on several devices asks of them.
namespace warpdex {

/// @return bytes of the current device's memory that are free
/// @throws device_error; unsupported if the library was built without CUDA
std::uint64_t free_device_memory();

/// Lets a device read and write the `device_memory()` of another one, so that copies between them go directly.
/// @return whether it can; otherwise copies go by way of the host
/// @throws as above
bool connect_devices(int reader, int owner);

/// Waits for the work of a stream of the current device. @throws as above
void synchronize(stream_ref stream);

/// A stream of the device that is the current one when it is made.
class own_stream {
 public:
  /// @param first whether its kernels start before those that wait in other streams
  /// @throws as above
  explicit own_stream(bool first = false);
  ~own_stream();
  own_stream(own_stream const&) = delete;
  own_stream& operator=(own_stream const&) = delete;

  operator stream_ref() const noexcept { return stream_; }

 private:
  CUstream_st* stream_ = nullptr;
};

/// A point in the work of a stream, for which others wait. It belongs to the device that is the current one when it is
/// made.
class own_event {
 public:
  /// @throws as above
  own_event();
  ~own_event();
  own_event(own_event const&) = delete;
  own_event& operator=(own_event const&) = delete;

  /// Moves it to the end of what a stream of its device has. Waits that were put on other streams keep their point.
  void record(stream_ref stream) const;

  operator CUevent_st*() const noexcept { return event_; }

 private:
  CUevent_st* event_ = nullptr;
};

}  // namespace warpdex
