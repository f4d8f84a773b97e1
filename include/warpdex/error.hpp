// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <new>
#include <stdexcept>
#include <string>

/// @file
/// The library reports every failure with one of these exceptions. The message says what failed, where, and the
/// offending value. A call that throws leaves its index unchanged.
namespace warpdex {

/// Base of all exceptions thrown by warpdex.
struct error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An argument is invalid: for example lengths differ, a pointer is null, misaligned or of another device, or a row id
/// does not fit.
struct invalid_argument : error {
  using error::error;
};

/// A spec does not parse or names an impossible index. The message points at the offending character.
struct spec_error : invalid_argument {
  using invalid_argument::invalid_argument;
};

/// The operation exists, but not for this structure, this key type or this build of the library.
struct unsupported : error {
  using error::error;
};

/// Host or device memory has run out.
struct out_of_memory : error {
  using error::error;
};

/// A CUDA call or a kernel launch failed, or there is no usable device.
struct device_error : error {
  using error::error;
};

/// A file cannot be opened, read, written or renamed.
struct io_error : error {
  using error::error;
};

/// A file has wrong contents: it is foreign, truncated or altered, or has a malformed cell.
struct format_error : error {
  using error::error;
};

/// The caller stopped a call.
struct cancelled : error {
  using error::error;
};

namespace detail {

/// Throws out_of_memory. If there is no memory for a text, it throws one that was made before.
[[noreturn]] void fail_out_of_memory(char const* call);

/// Runs the body of a public function, and turns failures of the standard library's allocations into out_of_memory.
/// @param call name of the function, for messages
template <class Body> decltype(auto) run_call(char const* call, Body const& body) {
  try {
    return body();
  } catch (std::bad_alloc const&) {
    fail_out_of_memory(call);
  } catch (std::length_error const&) {  // a container of the standard library would exceed the address space
    fail_out_of_memory(call);
  }
}

}  // namespace detail

}  // namespace warpdex
