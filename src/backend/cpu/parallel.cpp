// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <limits>

#include "backend/cpu/borrowed_threads.hpp"
#include "backend/cpu/stop.hpp"

namespace warpdex {
namespace {

using chunk_body = std::function<void(std::uint64_t, std::uint64_t)>;

/// How often a caller that waits for its helpers looks for a stop request.
constexpr std::chrono::milliseconds look_interval{20};

/// Chunks that threads take one at a time.
class shared_chunks {
 public:
  shared_chunks(std::uint64_t n, std::uint64_t grain, chunk_body const& body)
      : n_(n), grain_(grain), count_((n - 1) / grain + 1), body_(body) {}

  std::uint64_t count() const { return count_; }

  /// Takes chunks until none is left. If a chunk fails, or the caller is asked to stop, no thread takes another.
  void work() noexcept {
    for (;;) {
      std::uint64_t const chunk = next_.fetch_add(1, std::memory_order_relaxed);
      if (chunk >= count_) return;
      std::uint64_t const begin = chunk * grain_;
      try_to([&] {
        stop_scope::look();
        body_(begin, begin + std::min(grain_, n_ - begin));
      });
    }
  }

  /// Waits for helpers, and meanwhile looks for a stop request, which only this thread may be able to do.
  void wait_for(borrowed_threads& helpers) noexcept {
    while (!helpers.done(look_interval)) try_to([] { stop_scope::look(); });
  }

  /// Rethrows the exception of a chunk that failed. Must be called when all threads are done.
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  template <class F> void try_to(F const& f) noexcept {
    try {
      f();
    } catch (...) {
      next_.store(count_, std::memory_order_relaxed);
      if (!failed_.test_and_set()) error_ = std::current_exception();
    }
  }

  std::uint64_t const n_;
  std::uint64_t const grain_;
  std::uint64_t const count_;
  chunk_body const& body_;
  std::atomic<std::uint64_t> next_{0};
  std::atomic_flag failed_;
  std::exception_ptr error_;
};

}  // namespace

void parallel_chunks(int threads, std::uint64_t n, std::uint64_t grain, chunk_body const& body) {
  if (n == 0) return;
  if (threads == 1 || n <= grain) {
    for (std::uint64_t begin = 0; begin < n; begin += grain) {
      stop_scope::look();
      body(begin, begin + std::min(grain, n - begin));
    }
    return;
  }
  shared_chunks chunks(n, grain, body);
  int const most = threads > 0 ? threads : std::numeric_limits<int>::max();
  {
    stop_scope const* const stop = current_stop();
    borrowed_threads helpers(static_cast<int>(std::min<std::uint64_t>(most, chunks.count())) - 1, [&] {
      lent_stop const lent(stop);
      chunks.work();
    });
    chunks.work();
    if (stop != nullptr) chunks.wait_for(helpers);
  }
  chunks.rethrow();
}

}  // namespace warpdex
