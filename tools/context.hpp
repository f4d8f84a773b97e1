// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tables/escape.hpp"

#include <warpdex/build_progress.hpp>
#include <warpdex/error.hpp>
#include <warpdex/index.hpp>
#include <warpdex/memory.hpp>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

/// @file
/// The shared parts of the subcommands: the global flags, the exit codes, the choice of a backend, and progress shown
/// on a terminal. Nothing here belongs to the program itself, so a library of subcommands can use it.
namespace warpdex {

/// Exit codes of the command `warpdex`.
enum exit_code : int {
  exit_success = 0,
  exit_bad_input = 1,      ///< a file, a cell, a spec or an output path cannot be used
  exit_usage = 2,          ///< the command line itself is wrong
  exit_out_of_memory = 3,  ///< memory has run out, or a device is missing or failed
};

/// The command line contradicts itself in a way that the parser cannot detect.
struct usage_error : error {
  using error::error;
};

/// Global flags, and the action of the chosen subcommand.
struct cli_context {
  bool json = false;   ///< summaries and `info` as JSON
  bool quiet = false;  ///< no summaries, no progress

  /// Set by the callback of the chosen subcommand and run after parsing; its result is the exit code.
  /// Exceptions that it throws become a message and an exit code in one place (program.cpp).
  std::function<int()> action;
};

/// Turns `--backend auto|cpu|cuda` into an execution; `auto` is cuda if there is a usable device.
/// @param threads worker threads of the cpu backend, 0 for all cores
/// @throws device_error if cuda is asked for and cannot be used
inline execution make_execution(std::string const& backend, int threads) {
  if (backend == "cpu") return execution(host_memory(), {}, threads);
  if (!devices().empty()) return execution(device_memory(), {}, threads);
  if (backend == "auto") return execution(host_memory(), {}, threads);
  throw device_error(built_with_cuda() ? "--backend cuda: no usable CUDA device on this machine"
                                       : "--backend cuda: this warpdex was built without CUDA");
}

/// @return `cpu` or `cuda`
inline char const* backend_name(backend_kind kind) noexcept { return kind == backend_kind::cuda ? "cuda" : "cpu"; }

/// A progress line on standard error. It appears after one second, only on a terminal, and is wiped by
/// the destructor. With a total, or over a build that says how far it is, it is a bar, otherwise it shows the seconds
/// passed.
class progress {
 public:
  /// @param total steps of `advance`, 0 if nobody counts them
  /// @param build outlives the line, or null
  progress(cli_context const& context, std::string_view label, std::uint64_t total = 0,
           build_progress const* build = nullptr)
      : label_(tables::escaped(label)), total_(total), build_(build) {
    if (context.quiet || context.json || isatty(STDERR_FILENO) == 0) return;
    try {
      painter_ = std::thread([this] { paint(); });
    } catch (std::exception const&) {  // no thread could be started: nothing is shown
    }
  }

  ~progress() {
    if (!painter_.joinable()) return;
    {
      std::lock_guard const lock(mutex_);
      finished_ = true;
    }
    wake_.notify_one();
    painter_.join();
  }

  progress(progress const&) = delete;
  progress& operator=(progress const&) = delete;

  /// Safe to call from any thread.
  void advance(std::uint64_t steps) noexcept { done_.fetch_add(steps, std::memory_order_relaxed); }

 private:
  void paint() {
    using namespace std::chrono;
    auto const start = steady_clock::now();
    auto next = start + seconds(1);
    bool painted = false;
    std::unique_lock lock(mutex_);
    while (!wake_.wait_until(lock, next, [this] { return finished_; })) {
      double const passed = duration<double>(steady_clock::now() - start).count();
      std::string const line = text(passed);
      std::fprintf(stderr, "\r%s\033[K", line.c_str());
      painted = true;
      next = steady_clock::now() + milliseconds(100);
    }
    if (painted) std::fputs("\r\033[K", stderr);
  }

  std::string text(double passed) const {
    constexpr int width = 30;
    char line[160];
    double const part = this->part();
    if (total_ == 0 && part == 0) {
      std::snprintf(line, sizeof line, "%.60s  %.1f s", label_.c_str(), passed);
      return line;
    }
    std::string const bar(static_cast<std::size_t>(part * width), '#');
    std::snprintf(line, sizeof line, "%.60s  [%-*s] %3d %%  %.1f s", label_.c_str(), width, bar.c_str(),
                  static_cast<int>(part * 100), passed);
    return line;
  }

  /// @return the part that is done, 0 if it is not known
  double part() const {
    if (build_ != nullptr) return build_->done();
    auto const done = static_cast<double>(done_.load(std::memory_order_relaxed));
    return total_ == 0 ? 0 : std::min(1.0, done / static_cast<double>(total_));
  }

  std::string label_;
  std::uint64_t total_;
  build_progress const* build_;
  std::atomic<std::uint64_t> done_ = 0;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool finished_ = false;
  std::thread painter_;
};

/// The line of the builds that a thread makes during the life of this object.
class shown_build {
 public:
  shown_build(cli_context const& context, std::string_view label) : says_(told_), line_(context, label, 0, &told_) {}

 private:
  build_progress told_;
  progress_scope says_;
  progress line_;
};

}  // namespace warpdex
