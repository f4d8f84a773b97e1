// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pthread.h>
#include <signal.h>

namespace warpdex {

/// Blocks signals for threads that are started while it lives, because a handler expects to run on a thread of its
/// program. Signals of faults, which a thread raises itself, stay unblocked.
class signals_blocked {
 public:
  signals_blocked() {
    sigset_t set;
    sigfillset(&set);
    for (int const fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS}) sigdelset(&set, fault);
    pthread_sigmask(SIG_SETMASK, &set, &before_);
  }
  ~signals_blocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  signals_blocked(signals_blocked const&) = delete;
  signals_blocked& operator=(signals_blocked const&) = delete;

 private:
  sigset_t before_;
};

}  // namespace warpdex
