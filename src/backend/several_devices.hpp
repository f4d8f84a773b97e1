// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>

#include <cstdint>

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

}  // namespace warpdex
