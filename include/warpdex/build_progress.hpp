// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace warpdex {

/// How far a build is, for the threads that wait for it.
class build_progress {
 public:
  /// @return the part of the work that is done, from 0 to 1. It never falls
  double done() const noexcept { return done_.load(std::memory_order_relaxed); }

 private:
  friend class progress_scope;
  std::atomic<double> done_{0};
};

/// Lets the builds that a thread makes during the life of this object say how far they are. A build on the CPU says it
/// after each pass over the entries, of which a sort has four to ten; strings have one step for their sort. A build on
/// a device says it when its sort has been started, and when it is done. What other calls say means nothing. Scopes may
/// be nested; the innermost one counts.
class progress_scope {
 public:
  /// @param progress outlives the scope, and is for one build
  explicit progress_scope(build_progress& progress);
  ~progress_scope();
  progress_scope(progress_scope const&) = delete;
  progress_scope& operator=(progress_scope const&) = delete;

 private:
  friend void tell_progress(double done) noexcept;
  void set(double done) noexcept;

  build_progress& progress_;
  progress_scope* const outer_;
};

}  // namespace warpdex
