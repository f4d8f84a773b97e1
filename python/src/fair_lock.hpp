// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace warpdex::python {

/// Others use an index for longer than a call waits: `warpdex.errors.Busy` in Python.
struct busy : error {
  using error::error;
};

/// A lock that readers share and a writer has alone, in the order in which they ask.
///
/// A thread that reads may read again at once, whoever waits, and gets an error if it asks to write: it would wait for
/// itself. The child of a fork keeps the locks of the thread that forked, and forgets those of others.
class fair_lock {
 public:
  enum class use { read, write };

  fair_lock();
  fair_lock(fair_lock const&) = delete;
  fair_lock& operator=(fair_lock const&) = delete;

  /// Waits without the GIL, which the caller holds; signals are handled meanwhile.
  /// @throws busy after `patience` seconds, or if this thread would wait for itself
  void lock(use kind);

  /// Needs no GIL.
  void unlock(use held);

  /// @return one more lock for reading, which any thread may let go. The caller holds one
  std::shared_ptr<void const> share();

  std::atomic<double> patience = 60;  ///< seconds

 private:
  bool is_free(use kind) const { return !writes_ && (kind == use::read || readers_ == 0); }
  void take(use kind);
  void drop_reader();
  void after_fork();

  std::uint64_t readers_ = 0;
  bool writes_ = false;
  bool broken_ = false;              // its writer does not exist in this process
  std::vector<int const*> waiting_;  // the first one is next
  std::uint64_t forks_;
};

/// A scope that holds a lock.
class locked {
 public:
  locked(fair_lock& lock, fair_lock::use use) : lock_(lock), use_(use) { lock.lock(use); }
  ~locked() { lock_.unlock(use_); }
  locked(locked const&) = delete;
  locked& operator=(locked const&) = delete;

 private:
  fair_lock& lock_;
  fair_lock::use use_;
};

}  // namespace warpdex::python
