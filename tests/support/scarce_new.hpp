// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

/// @file
/// `operator new` of the program that scarce_new.cpp is linked into.
namespace warpdex::test {

struct scarce_new {
  static constexpr long never = -1;

  std::atomic<long> left{never};  ///< calls until the one that fails, which is followed by none that does
  std::atomic<long> live{0};      ///< blocks that are not freed
};

extern scarce_new heap;

}  // namespace warpdex::test
