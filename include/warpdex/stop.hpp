// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stop_token>
#include <utility>

namespace warpdex {

/// Lets a stop request end the calls that a thread makes during the life of this object. Builds, loads, lookups and
/// joins on the CPU look at the token before each part of their parallel work, which is far less than a second, and
/// throw `cancelled`; with one thread such a part may be a pass over a whole column. Updates are not ended, nor is work
/// on a device. Scopes may be nested; the innermost one counts.
class stop_scope {
 public:
  /// Calls of this thread look at `stop` until the scope ends. A token that cannot stop hides an outer one.
  explicit stop_scope(std::stop_token stop);
  ~stop_scope();
  stop_scope(stop_scope const&) = delete;
  stop_scope& operator=(stop_scope const&) = delete;

 private:
  std::stop_token const stop_;
  std::stop_token const* const outer_;
};

}  // namespace warpdex
