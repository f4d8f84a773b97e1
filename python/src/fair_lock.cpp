// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "fair_lock.hpp"

#include <nanobind/nanobind.h>

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <new>
#include <sstream>

#include "gil.hpp"

namespace warpdex::python {
namespace {

using uses = std::vector<fair_lock const*>;

thread_local uses reads;  // the locks that this thread reads under

/// What all locks share: they are held for moments only. Nobody asks for the GIL meanwhile.
struct common_state {
  std::mutex mutex;
  std::condition_variable changed;
  std::uint64_t forks = 0;
  uses kept;  // what the thread that forked read under
};

common_state& common() {
  static auto& result = [&]() -> common_state& {
    static auto& state = *new common_state;  // outlives the interpreter
    ::pthread_atfork([] { state.mutex.lock(); }, [] { state.mutex.unlock(); },
                     [] {
                       new (&state.changed) std::condition_variable;  // those who waited do not exist here
                       ++state.forks;
                       state.kept = reads;
                       state.mutex.unlock();
                     });
    return state;
  }();
  return result;
}

busy waited_in_vain(fair_lock::use kind, double limit) {
  std::ostringstream text;
  text << (kind == fair_lock::use::write ? "an update of the index waited for other calls"
                                         : "a lookup waited for updates of the index")
       << "; max_wait is " << limit << " seconds";
  return busy(text.str());
}

}  // namespace

fair_lock::fair_lock() {
  std::lock_guard const guard(common().mutex);
  forks_ = common().forks;
}

void fair_lock::after_fork() {
  if (forks_ == common().forks) return;
  forks_ = common().forks;
  readers_ = static_cast<std::uint64_t>(std::ranges::count(common().kept, this));
  broken_ = broken_ || writes_;
  waiting_.clear();
}

void fair_lock::take(use kind) {
  if (kind == use::write) {
    writes_ = true;
    return;
  }
  reads.push_back(this);
  ++readers_;
}

void fair_lock::drop_reader() {
  --readers_;
  if (readers_ == 0 && !waiting_.empty()) common().changed.notify_all();
}

void fair_lock::lock(use kind) {
  int const ticket = 0;  // its address is unique
  {
    std::lock_guard const guard(common().mutex);
    after_fork();
    if (broken_) throw busy("the index was being updated when this process was forked, and is of no use in it");
    bool const again = std::ranges::find(reads, this) != reads.end();
    if (again && kind == use::write) throw busy("a call of this thread reads the index, which cannot be updated in it");
    if (again || (waiting_.empty() && is_free(kind))) return take(kind);
    waiting_.push_back(&ticket);
  }
  struct leaving {
    fair_lock& lock;
    int const* ticket;
    ~leaving() {
      std::lock_guard const guard(common().mutex);
      std::erase(lock.waiting_, ticket);
      common().changed.notify_all();
    }
  } const leave{*this, &ticket};
  auto const begin = std::chrono::steady_clock::now();
  auto const limit = patience.load();
  while (true) {
    std::chrono::duration<double> const waited = std::chrono::steady_clock::now() - begin;
    auto const rest = std::clamp(limit - waited.count(), 0.0, 0.05);
    bool taken = false;
    {
      without_gil const free;
      std::unique_lock guard(common().mutex);
      taken = common().changed.wait_for(guard, std::chrono::duration<double>(rest),
                                        [&] { return waiting_.front() == &ticket && is_free(kind); });
      if (taken) take(kind);
    }
    if (taken) return;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
    if (rest == 0) throw waited_in_vain(kind, limit);
  }
}

void fair_lock::unlock(use held) {
  std::lock_guard const guard(common().mutex);
  after_fork();
  if (held == use::write) {
    writes_ = false;
    common().changed.notify_all();
    return;
  }
  reads.erase(std::ranges::find(reads, this));
  drop_reader();
}

std::shared_ptr<void const> fair_lock::share() {
  std::lock_guard const guard(common().mutex);
  ++readers_;
  return {this, [this, forks = forks_](void const*) {
            std::lock_guard const guard(common().mutex);
            if (forks == common().forks) drop_reader();
          }};
}

}  // namespace warpdex::python
