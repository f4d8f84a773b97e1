// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>

#include <new>
#include <stdexcept>

/// @file
/// The border of the library. Every failure inside leaves it as one of the exceptions of error.hpp.
namespace warpdex {

/// Throws out_of_memory. If there is no memory for a text, it throws one that was made before.
[[noreturn]] void fail_out_of_memory(char const* call);

/// Checks that a call can run on `exec`.
/// @throws invalid_argument
void expect_usable(char const* call, execution const& exec);

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

/// The same for a function that takes an execution.
template <class Body> decltype(auto) run_call(char const* call, execution const& exec, Body const& body) {
  return run_call(call, [&]() -> decltype(auto) {
    expect_usable(call, exec);
    return body();
  });
}

}  // namespace warpdex
