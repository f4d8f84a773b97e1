// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <utility>

/// @file
/// What a backend must do so that a device of Vulkan can work in its memory and in the order of its streams. Vulkan
/// allocates and exports; the backend imports.
namespace warpdex {

/// A number of a device that all drivers agree on.
using device_uuid = std::array<std::uint8_t, 16>;

/// Owns a file descriptor. Whoever takes it over releases it.
class file_descriptor {
 public:
  explicit file_descriptor(int number) : number_(number) {}
  ~file_descriptor();
  file_descriptor(file_descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  file_descriptor& operator=(file_descriptor&&) = delete;

  int get() const noexcept { return number_; }
  int release() noexcept { return std::exchange(number_, -1); }

 private:
  int number_;
};

/// Memory that a backend has imported.
class shared_memory {
 public:
  virtual ~shared_memory() = default;
  virtual void* data() const noexcept = 0;
};

/// A timeline semaphore that a backend has imported. Both calls are asynchronous, in the order of the call's stream.
class shared_timeline {
 public:
  virtual ~shared_timeline() = default;
  virtual void signal(std::uint64_t value, execution const& exec) = 0;  ///< @throws device_error
  virtual void wait(std::uint64_t value, execution const& exec) = 0;    ///< @throws device_error
};

/// How a backend imports.
class sharing {
 public:
  virtual ~sharing() = default;
  virtual device_uuid device() const = 0;

  /// @param bytes of the whole allocation
  /// @param dedicated whether the allocation serves one buffer alone
  /// @throws device_error, out_of_memory
  virtual std::unique_ptr<shared_memory> import_memory(file_descriptor from, std::uint64_t bytes,
                                                       bool dedicated) const = 0;
  virtual bool imports_timelines() const = 0;
  /// @throws device_error
  virtual std::unique_ptr<shared_timeline> import_timeline(file_descriptor from) const = 0;
};

/// @return how the current CUDA device imports. It is never destroyed.
/// @throws unsupported if the library was built without CUDA; device_error
sharing const& cuda_sharing();

}  // namespace warpdex
