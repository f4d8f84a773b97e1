// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <limits>

/// @file
/// `operator new` of the program that scarce_new.cpp is linked into.
namespace warpdex::test {

struct scarce_new {
  static constexpr long never = std::numeric_limits<long>::max();

  std::atomic<long> left{never};   ///< calls until one fails; below 0 when it has
  std::atomic<bool> lasts{false};  ///< whether the calls after it fail too
  std::atomic<long> live{0};       ///< number of blocks that are not freed
};

extern scarce_new heap;

}  // namespace warpdex::test
