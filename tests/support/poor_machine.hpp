// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <limits>

/// @file
/// The machine as poor_machine.cpp shows it to the program that it is linked into, or loaded into by LD_PRELOAD.
namespace warpdex::test {

struct poor_machine {
  static constexpr int unlimited = std::numeric_limits<int>::max();

  std::atomic<int> cores{4};            ///< that threads may run on, whatever there are
  std::atomic<int> threads{unlimited};  ///< that can still be started
};

/// A preloaded one begins with what WARPDEX_TEST_CORES and WARPDEX_TEST_THREADS say.
extern poor_machine machine;

}  // namespace warpdex::test
