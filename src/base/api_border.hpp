// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>
#include <warpdex/memory.hpp>

#include "base/profiled.hpp"

/// @file
/// The border of the library. Every failure inside leaves it as one of the exceptions of error.hpp.
namespace warpdex {

/// Runs the body of a function of the API. Profilers show the name of the call.
template <class Body> decltype(auto) run_call(char const* call, Body const& body) {
  profiled const range(call);
  return detail::run_call(call, body);
}

/// Checks that a call can run on `exec`.
/// @throws invalid_argument
void expect_usable(char const* call, execution const& exec);

/// `run_call` for a function that takes an execution.
template <class Body> decltype(auto) run_call(char const* call, execution const& exec, Body const& body) {
  return run_call(call, [&]() -> decltype(auto) {
    expect_usable(call, exec);
    return body();
  });
}

}  // namespace warpdex
