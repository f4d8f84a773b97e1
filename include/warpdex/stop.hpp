// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <stop_token>
#include <thread>
#include <utility>

namespace warpdex {

/// Lets a stop request end the calls that a thread makes during the life of this object. Builds, loads, lookups, joins
/// and aggregates on the CPU look for a request before each part of their work, and throw `cancelled`. A part takes and
/// makes some 10^5 elements, or is the list of one probe; of sorts and partitions with one thread it may be a pass over
/// a column. Updates are not ended. On a device, a call looks between batches and before it makes room for its answers,
/// but what was launched runs to its end.
///
/// Scopes may be nested, and a request in any of them ends a call. A token that cannot stop hides outer scopes.
class stop_scope {
 public:
  /// @param stop in which calls of this thread look for a request
  explicit stop_scope(std::stop_token stop);

  /// @param look called before calls of this thread look at `stop`, and so often that it must be quick. The thread
  ///        itself calls it, within a call, and goes on with the call then
  stop_scope(std::stop_token stop, std::function<void()> look);
  ~stop_scope();
  stop_scope(stop_scope const&) = delete;
  stop_scope& operator=(stop_scope const&) = delete;

  /// Looks for a request as calls do: for long work of one's own within a scope, as in the sink of a join.
  /// @throws cancelled if there is one
  static void look();

 private:
  std::stop_token const stop_;
  std::function<void()> const look_;
  std::thread::id const thread_;
  stop_scope const* const outer_;
};

}  // namespace warpdex
