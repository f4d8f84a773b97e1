// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <limits>

/// @file
/// poor_machine.cpp pretends to a program that the machine is smaller. It is linked into the program, or loaded by
/// LD_PRELOAD.
namespace warpdex::test {

struct poor_machine {
  static constexpr int unlimited = std::numeric_limits<int>::max();

  std::atomic<int> cores{4};            ///< cores that threads may use, whatever the machine has
  std::atomic<int> threads{unlimited};  ///< threads that can still be started
};

/// If preloaded, it begins with the numbers in WARPDEX_TEST_CORES and WARPDEX_TEST_THREADS.
extern poor_machine machine;

}  // namespace warpdex::test
