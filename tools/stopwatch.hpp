// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <utility>

namespace warpdex::tools {

/// Measures seconds since its construction, or since the last lap.
class stopwatch {
 public:
  double lap() {
    auto const now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(start_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace warpdex::tools
