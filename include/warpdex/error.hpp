// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>

/// @file
/// Every failure of the library is one of these exceptions. The text says what failed, where, and the
/// offending value. A call that throws has left its index as it was.
namespace warpdex {

/// Base of all exceptions thrown by warpdex.
struct error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An argument that no call could accept: lengths that differ, a null or misaligned pointer, a pointer
/// to another device's memory, a row id that does not fit.
struct invalid_argument : error {
  using error::error;
};

/// A spec that does not parse or names an impossible index. The text points at the character.
struct spec_error : invalid_argument {
  using invalid_argument::invalid_argument;
};

/// The operation exists, but not for this structure, key type or build of the library.
struct unsupported : error {
  using error::error;
};

/// Memory of the host or of the device has run out.
struct out_of_memory : error {
  using error::error;
};

/// A CUDA call or launch failed, or there is no usable device.
struct device_error : error {
  using error::error;
};

/// A file cannot be opened, read, written or renamed.
struct io_error : error {
  using error::error;
};

/// The bytes of a file are not what they should be: foreign, truncated, altered, or a malformed cell.
struct format_error : error {
  using error::error;
};

}  // namespace warpdex
