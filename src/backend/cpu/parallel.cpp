// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>

#include "backend/cpu/borrowed_threads.hpp"
#include "backend/cpu/stop.hpp"

namespace warpdex {
namespace {

using chunk_body = std::function<void(std::uint64_t, std::uint64_t)>;

/// Chunks that threads take one at a time.
class shared_chunks {
 public:
  shared_chunks(std::uint64_t n, std::uint64_t grain, chunk_body const& body)
      : n_(n), grain_(grain), count_((n - 1) / grain + 1), body_(body) {}

  std::uint64_t count() const { return count_; }

  /// Takes chunks until none is left. If a chunk fails, or the caller is asked to stop, no thread takes another.
  void work() noexcept {
    lent_stop const lent(stop_);
    for (;;) {
      std::uint64_t const chunk = next_.fetch_add(1, std::memory_order_relaxed);
      if (chunk >= count_) return;
      std::uint64_t const begin = chunk * grain_;
      try {
        expect_no_stop(stop_);
        body_(begin, begin + std::min(grain_, n_ - begin));
      } catch (...) {
        next_.store(count_, std::memory_order_relaxed);
        if (!failed_.test_and_set()) error_ = std::current_exception();
      }
    }
  }

  /// Rethrows the exception of a chunk that failed. Must be called when all threads are done.
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::uint64_t const n_;
  std::uint64_t const grain_;
  std::uint64_t const count_;
  chunk_body const& body_;
  std::stop_token const* const stop_ = current_stop();
  std::atomic<std::uint64_t> next_{0};
  std::atomic_flag failed_;
  std::exception_ptr error_;
};

}  // namespace

void parallel_chunks(int threads, std::uint64_t n, std::uint64_t grain, chunk_body const& body) {
  if (n == 0) return;
  if (threads == 1 || n <= grain) {
    expect_no_stop(current_stop());
    return body(0, n);
  }
  shared_chunks chunks(n, grain, body);
  int const most = threads > 0 ? threads : std::numeric_limits<int>::max();
  {
    borrowed_threads const helpers(static_cast<int>(std::min<std::uint64_t>(most, chunks.count())) - 1,
                                   [&] { chunks.work(); });
    chunks.work();
  }
  chunks.rethrow();
}

}  // namespace warpdex
