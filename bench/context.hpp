// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>
#include <warpdex/index.hpp>
#include <warpdex/memory.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

/// @file
/// The shared parts of the subcommands: the global flags, the exit codes, the choice of a backend, and progress shown
/// on a terminal.
namespace warpdex::bench {

/// Exit codes of the program.
enum exit_code : int {
  exit_success = 0,
  exit_bad_input = 1,      ///< a file or a spec cannot be used, or an answer is wrong
  exit_usage = 2,          ///< the command line itself is wrong
  exit_out_of_memory = 3,  ///< memory has run out, or a device is missing or failed
};

/// The command line contradicts itself in a way that the parser cannot detect.
struct usage_error : error {
  using error::error;
};

/// Global flags, and the action of the chosen subcommand.
struct cli_context {
  bool json = false;   ///< results as JSON
  bool quiet = false;  ///< no progress

  /// Set by the callback of the chosen subcommand and run after parsing; its result is the exit code.
  /// Exceptions that it throws become a message and an exit code in one place (program.cpp).
  std::function<int()> action;
};

/// @return the text with control characters as \xNN, so that no name of a file controls a terminal
inline std::string printable(std::string_view text) {
  std::string out;
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\n') || byte == 0x7f) out += fmt::format("\\x{:02x}", byte);
    else out += c;
  }
  return out;
}

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

/// A line on standard error with the seconds passed. It appears after one second, only on a terminal, and is wiped by
/// the destructor.
class progress {
 public:
  progress(cli_context const& context, std::string_view label) : label_(printable(label)) {
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

 private:
  void paint() {
    using clock = std::chrono::steady_clock;
    auto const start = clock::now();
    auto next = start + std::chrono::seconds(1);
    bool painted = false;
    std::unique_lock lock(mutex_);
    while (!wake_.wait_until(lock, next, [this] { return finished_; })) {
      double const passed = std::chrono::duration<double>(clock::now() - start).count();
      std::fprintf(stderr, "\r%.60s  %.1f s\033[K", label_.c_str(), passed);
      painted = true;
      next = clock::now() + std::chrono::milliseconds(100);
    }
    if (painted) std::fputs("\r\033[K", stderr);
  }

  std::string label_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool finished_ = false;
  std::thread painter_;
};

}  // namespace warpdex::bench
