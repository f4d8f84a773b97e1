// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>

#include <new>
#include <stdexcept>

/// @file
/// The border of the library: what fails behind it comes out as one of the exceptions of error.hpp.
namespace warpdex {

/// Throws out_of_memory, which needs no memory if there is none.
[[noreturn]] void fail_out_of_memory(char const* call);

/// @throws invalid_argument if no call can run on it
void expect_usable(char const* call, execution const& exec);

/// Runs the body of a public function. @param call its name, for messages
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
