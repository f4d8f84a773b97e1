// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>

#include <cstdint>
#include <utility>

/// @file
/// The structures of Arrow's C data, stream and device interfaces, as their specification gives them and under its
/// guards, so that another library's declarations serve as well; and what owns one.
/// @cond

// NOLINTBEGIN(readability-identifier-naming): Arrow's own names
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

extern "C" {
struct ArrowSchema {
  char const* format;
  char const* name;
  char const* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  void const** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};
}

#endif
#ifndef ARROW_C_DEVICE_DATA_INTERFACE
#define ARROW_C_DEVICE_DATA_INTERFACE

#define ARROW_DEVICE_CPU 1
#define ARROW_DEVICE_CUDA 2
#define ARROW_DEVICE_CUDA_HOST 3
#define ARROW_DEVICE_CUDA_MANAGED 13

extern "C" {
struct ArrowDeviceArray {
  ArrowArray array;
  std::int64_t device_id;
  std::int32_t device_type;
  void* sync_event;  // of CUDA: a pointer to an event, or null
  std::int64_t reserved[3];
};
}

#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

extern "C" {
struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
  int (*get_next)(ArrowArrayStream*, ArrowArray*);
  char const* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};
}

#endif
// NOLINTEND(readability-identifier-naming)

/// @endcond

namespace warpdex {

/// A column has a type that the call does not take.
struct type_error : invalid_argument {
  using invalid_argument::invalid_argument;
};

/// Owns a structure of Arrow's interface: releases what it holds.
template <class T> class arrow_owner {
 public:
  /// Nothing.
  arrow_owner() = default;
  /// Takes a structure over; the one that it is taken from counts as released.
  explicit arrow_owner(T& from) : value(from) { from.release = nullptr; }
  /// Takes over what another owner holds.
  /// @{
  arrow_owner(arrow_owner&& other) noexcept : value(std::exchange(other.value, T{})) {}
  arrow_owner& operator=(arrow_owner&& other) noexcept {
    std::swap(value, other.value);
    return *this;
  }
  /// @}
  ~arrow_owner() {
    if (value.release != nullptr) value.release(&value);
  }

  T value{};  ///< without a `release` if there is none
};

}  // namespace warpdex
