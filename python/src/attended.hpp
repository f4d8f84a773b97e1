// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/build_progress.hpp>
#include <warpdex/stop.hpp>

#include <nanobind/nanobind.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <utility>

#include "gil.hpp"
#include "watched.hpp"

/// @file
/// Long calls that Ctrl-C ends. The library is asked to stop, which it does soon on the CPU; what cannot stop goes on,
/// and what it makes is dropped.
namespace warpdex::python {

/// Work on its own thread.
class task {
 public:
  virtual ~task() = default;

  /// @return whether the work is done, at the latest after a while
  bool wait(std::chrono::milliseconds most) {
    std::unique_lock lock(mutex_);
    return done_changed_.wait_for(lock, most, [&] { return done_; });
  }

  /// The end of the work may let go of objects of Python, so the GIL must be free.
  void join() {
    without_gil const free;
    thread_.join();
  }

  /// Asks the calls of the work to end.
  void request_stop() { stop_.request_stop(); }

  /// @return the part of a build that is done
  double part_done() const { return progress_.done(); }

 protected:
  void start(std::function<void()> work) {
    thread_ = std::thread([this, work = std::move(work)] {
      {
        stop_scope const scope(stop_.get_token());
        progress_scope const says(progress_);
        work();
      }
      std::lock_guard const lock(mutex_);
      done_ = true;
      done_changed_.notify_all();
    });
  }

 private:
  std::thread thread_;
  std::stop_source stop_;
  build_progress progress_;
  std::mutex mutex_;
  std::condition_variable done_changed_;
  bool done_ = false;
};

/// Work that nobody waits for any more, and what it reads. Only for holders of the GIL.
class abandoned_tasks {
  using entry = std::pair<std::shared_ptr<task>, nanobind::object>;

 public:
  static abandoned_tasks& all() {
    static auto& result = *new abandoned_tasks;  // outlives the interpreter
    return result;
  }

  void add(std::shared_ptr<task> work, nanobind::object reads) {
    tasks_.emplace_back(std::move(work), std::move(reads));
  }

  /// Forgets tasks that are done.
  void sweep() {
    std::list<entry> done;  // other threads may come while these are joined
    for (auto task = tasks_.begin(); task != tasks_.end();) {
      auto const next = std::next(task);
      if (task->first->wait(std::chrono::milliseconds(0))) done.splice(done.end(), tasks_, task);
      task = next;
    }
    for (auto const& item : done) item.first->join();
  }

  /// Waits for all tasks: the interpreter is about to end.
  void finish() {
    std::list<entry> const rest = std::exchange(tasks_, {});
    for (auto const& item : rest) item.first->join();
  }

 private:
  std::list<entry> tasks_;
};

/// Runs work in parallel with the interpreter, which meanwhile handles signals.
/// @param reads kept while the work goes on
/// @param on_progress called with the part that is done whenever there is more of it, but not at the end; or None
/// @throws what the work throws, or what `on_progress` or a handler of a signal does
template <class Result>
Result attended(nanobind::object reads, std::function<Result()> work,
                nanobind::object const& on_progress = nanobind::none()) {
  struct with_result : task {
    std::optional<Result> result;
    std::exception_ptr failure;
    void run(std::function<Result()> make) {
      start([this, make = std::move(make)] {
        try {
          result.emplace(make());
        } catch (...) {
          failure = std::current_exception();
        }
      });
    }
  };
  abandoned_tasks::all().sweep();
  auto const running = std::make_shared<with_result>();
  running->run(std::move(work));
  double last_told = 0;
  auto const tell = [&] {
    if (on_progress.is_none() || running->part_done() <= last_told) return;
    last_told = running->part_done();
    on_progress(last_told);
  };
  while (true) {
    bool done = false;
    {
      without_gil const free;
      done = running->wait(std::chrono::milliseconds(50));
    }
    if (done) break;
    try {
      if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
      tell();
    } catch (...) {
      running->request_stop();
      abandoned_tasks::all().add(running, std::move(reads));
      throw;
    }
  }
  running->join();
  if (running->failure) std::rethrow_exception(running->failure);
  return std::move(*running->result);
}

/// Work over this number of values or bytes may take a second.
inline constexpr std::uint64_t long_call = std::uint64_t{1} << 22;
inline constexpr std::uint64_t long_call_bytes = std::uint64_t{1} << 26;

/// Runs work attended if it is long, and else in this thread.
template <class Work>
auto attended_if(bool is_long, nanobind::object reads, Work work,
                 nanobind::object const& on_progress = nanobind::none()) {
  using result = std::invoke_result_t<Work>;
  if (is_long) return attended<result>(std::move(reads), std::move(work), on_progress);
  return watched(work);
}

}  // namespace warpdex::python
