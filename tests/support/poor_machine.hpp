// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <limits>

/// @file
/// poor_machine.cpp, linked into a program, pretends to it that the machine is smaller.
namespace warpdex::test {

struct poor_machine {
  static constexpr int unlimited = std::numeric_limits<int>::max();

  std::atomic<int> cores{4};            ///< cores that threads may use, whatever the machine has
  std::atomic<int> threads{unlimited};  ///< threads that can still be started
};

extern poor_machine machine;

}  // namespace warpdex::test
