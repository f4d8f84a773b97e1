// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/stop.hpp>

#include <nanobind/nanobind.h>

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <type_traits>

#include "gil.hpp"

/// @file
/// Calls that Ctrl-C ends, although they run in the thread that handles signals.
namespace warpdex::python {

/// Handles signals from time to time, and asks the call to stop if a handler raises.
class signal_watch {
 public:
  std::stop_token token() const { return stop_.get_token(); }

  /// Called without the GIL. Python handles signals in the first thread of the process alone.
  void look() {
    auto const now = std::chrono::steady_clock::now();
    if (now - last_ < interval || raised_) return;
    last_ = now;
    if (::gettid() != ::getpid()) return;
    with_gil const python;
    if (PyErr_CheckSignals() == 0) return;
    raised_.emplace();
    stop_.request_stop();
  }

  /// Throws what a handler raised.
  void rethrow() const {
    if (raised_) throw nanobind::python_error(*raised_);
  }

 private:
  static constexpr std::chrono::milliseconds interval{50};

  std::stop_source stop_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  std::optional<nanobind::python_error> raised_;
};

/// Runs work without the GIL. What a handler of a signal raises meanwhile ends it, as `stop_scope` says.
template <class Work> std::invoke_result_t<Work const&> watched(Work const& work) {
  signal_watch watch;
  auto const run = [&] {
    without_gil const free;
    stop_scope const scope(watch.token(), [&watch] { watch.look(); });
    return work();
  };
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Work const&>>) {
      run();
      watch.rethrow();
    } else {
      auto result = run();
      watch.rethrow();
      return result;
    }
  } catch (...) {
    watch.rethrow();
    throw;
  }
}

/// Looks for signals, in loops of this module over what a call makes.
class paced {
 public:
  /// @param size elements that are about to be made
  void add(std::uint64_t size) {
    count_ += size;
    if (count_ < most) return;
    count_ = 0;
    stop_scope::look();
  }

 private:
  static constexpr std::uint64_t most = std::uint64_t{1} << 20;
  std::uint64_t count_ = 0;
};

}  // namespace warpdex::python
