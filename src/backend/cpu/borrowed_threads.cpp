// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/borrowed_threads.hpp"

#include <dlfcn.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "base/signals_blocked.hpp"

namespace warpdex {
namespace {

/// How long the pool starts no threads after one could not be started.
constexpr std::chrono::seconds pause_after_failure{1};

/// @return the number of cores that the calling thread may run on
int cores() {
  cpu_set_t allowed;
  if (::sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
  return static_cast<int>(std::thread::hardware_concurrency());  // more than the set holds; 0 if unknown
}

/// Keeps dlclose() from unloading this code, because threads sleep in it.
void stay_loaded() {
  Dl_info here;
  if (::dladdr(reinterpret_cast<void*>(&stay_loaded), &here) != 0)
    ::dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);  // fails for an executable, which stays anyway
}

}  // namespace

/// The threads, and the queue of those who have asked for them.
class thread_pool {
 public:
  /// @return the pool of this process, or null if there is no memory for it
  static thread_pool* of_process() noexcept;

  void lend(borrowed_threads& to);
  bool wait(borrowed_threads& for_them, std::chrono::milliseconds most);
  void take_back(borrowed_threads& from);

 private:
  thread_pool(pid_t process, thread_pool const* parents) : process_(process), parents_(parents) {}

  void start(int count);
  void wake(borrowed_threads const& to);
  [[noreturn]] void work() noexcept;

  pid_t const process_;
  [[maybe_unused]] thread_pool const* const parents_;  ///< keeps the parent's pool reachable, so it counts as no leak
  std::mutex mutex_;
  std::condition_variable requested_;
  borrowed_threads* first_ = nullptr;  ///< list of those who have asked, the first to ask in front
  int threads_ = 0;                    ///< threads started
  std::chrono::steady_clock::time_point next_start_;
};

/// A pool is never destroyed, because indexes may be used while static objects end. A child made by fork() has none of
/// its parent's threads, and the parent's mutex may stay locked in it for ever. So the child makes another pool.
thread_pool* thread_pool::of_process() noexcept {
  static constinit std::atomic<thread_pool*> current{nullptr};
  thread_pool* found = current.load(std::memory_order_acquire);
  pid_t const process = ::getpid();
  while (found == nullptr || found->process_ != process) {
    std::unique_ptr<thread_pool> result(new (std::nothrow) thread_pool(process, found));
    if (!result) return nullptr;
    stay_loaded();
    if (current.compare_exchange_strong(found, result.get(), std::memory_order_acq_rel)) return result.release();
  }
  return found;
}

void thread_pool::lend(borrowed_threads& to) {
  std::lock_guard const lock(mutex_);
  start(to.places_);
  borrowed_threads** last = &first_;
  while (*last != nullptr) last = &(*last)->next_;
  *last = &to;
  wake(to);
}

bool thread_pool::wait(borrowed_threads& for_them, std::chrono::milliseconds most) {
  std::unique_lock lock(mutex_);
  for_them.places_ = 0;
  return for_them.done_.wait_for(lock, most, [&] { return for_them.busy_ == 0; });
}

void thread_pool::take_back(borrowed_threads& from) {
  std::unique_lock lock(mutex_);
  borrowed_threads** at = &first_;
  while (*at != &from) at = &(*at)->next_;
  *at = from.next_;
  from.done_.wait(lock, [&] { return from.busy_ == 0; });
}

/// Starts threads until there are `count`, or no more can be started.
void thread_pool::start(int count) {
  if (threads_ >= count || std::chrono::steady_clock::now() < next_start_) return;
  try {
    signals_blocked const meanwhile;
    for (; threads_ < count; ++threads_) std::thread([this] { work(); }).detach();
  } catch (std::exception const&) {  // no memory or no threads: the threads that exist do the work
    next_start_ = std::chrono::steady_clock::now() + pause_after_failure;
  }
}

/// Wakes two threads, each of which wakes two more. Waking many one by one would take long.
void thread_pool::wake(borrowed_threads const& to) {
  for (int i = 0; i < std::min(2, to.places_); ++i) requested_.notify_one();
}

void thread_pool::work() noexcept {
  std::unique_lock lock(mutex_);
  for (;;) {
    borrowed_threads* to = first_;
    while (to != nullptr && to->places_ == 0) to = to->next_;
    if (to == nullptr) {
      requested_.wait(lock);
      continue;
    }
    --to->places_;
    ++to->busy_;
    wake(*to);
    lock.unlock();
    to->work_();
    lock.lock();
    to->places_ = 0;
    if (--to->busy_ == 0) to->done_.notify_one();
  }
}

borrowed_threads::borrowed_threads(int count, std::function<void()> work)
    : work_(std::move(work)), places_(std::min(count, cores() - 1)) {
  if (places_ > 0) pool_ = thread_pool::of_process();
  if (pool_ != nullptr) pool_->lend(*this);
}

bool borrowed_threads::done(std::chrono::milliseconds most) { return pool_ == nullptr || pool_->wait(*this, most); }

borrowed_threads::~borrowed_threads() {
  if (pool_ != nullptr) pool_->take_back(*this);
}

}  // namespace warpdex
