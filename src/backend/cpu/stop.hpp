// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/stop.hpp>

/// @file
/// Stop requests within parallel work (stop.hpp).
namespace warpdex {

/// @return the token that counts for this thread; null if there is none
std::stop_token const* current_stop() noexcept;

/// @throws cancelled if the token has a stop request
void expect_no_stop(std::stop_token const* stop);

/// Makes a caller's token that of a thread which helps it.
class lent_stop {
 public:
  explicit lent_stop(std::stop_token const* stop) noexcept;
  ~lent_stop();
  lent_stop(lent_stop const&) = delete;
  lent_stop& operator=(lent_stop const&) = delete;

 private:
  std::stop_token const* const outer_;
};

}  // namespace warpdex
