// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/stop.hpp>

/// @file
/// Stop requests within parallel work (stop.hpp).
namespace warpdex {

/// @return the innermost scope of this thread; null if there is none
stop_scope const* current_stop() noexcept;

/// Makes a caller's scope that of a thread which helps it.
class lent_stop {
 public:
  explicit lent_stop(stop_scope const* stop) noexcept;
  ~lent_stop();
  lent_stop(lent_stop const&) = delete;
  lent_stop& operator=(lent_stop const&) = delete;

 private:
  stop_scope const* const outer_;
};

}  // namespace warpdex
