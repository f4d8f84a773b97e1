// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/calls.hpp"

#include "bench/gpu.hpp"
#include "bench/measure.hpp"
#include "bench/parallel.hpp"
#include "bench/placed.hpp"
#include "bench/random.hpp"

#include <warpdex/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <barrier>
#include <exception>
#include <functional>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace warpdex::bench {
namespace {

constexpr std::uint64_t calls_of_thread = 2048;
constexpr std::uint64_t calls_between_waits = 32;

std::uint32_t key_of(std::uint64_t row) { return static_cast<std::uint32_t>(row * 2654435761u); }  // one to one

/// A thread's stream on a device; nothing on a CPU.
class own_work {
 public:
  explicit own_work(execution const& exec) : exec_(exec.with_threads(1)) {
    if (!on_gpu(exec)) return;
    stream_ = std::make_unique<gpu::own_stream>();
    exec_ = exec_.with_stream(stream_->get());
  }
  execution const& exec() const { return exec_; }
  void wait() const {
    if (stream_) stream_->wait();
  }

 private:
  execution exec_;
  std::unique_ptr<gpu::own_stream> stream_;
};

/// What a thread asks, and where its answers are.
struct question {
  array<std::uint32_t> probes;
  placed<std::uint32_t> keys;
  result_array rows;

  question(config const& c, std::uint64_t thread, execution const& exec)
      : probes(probes_of(c, thread)), keys(probes.first(c.probes), exec), rows(c.probes, sizeof(std::uint32_t), exec) {
    rows.poison();
    rows.fetch();  // waits until the device is done
  }

  static std::uint64_t row_of(config const& c, std::uint64_t thread, std::uint64_t i) {
    return mix(c.seed ^ mix(thread * c.probes + i)) % c.n;
  }
  static array<std::uint32_t> probes_of(config const& c, std::uint64_t thread) {
    array<std::uint32_t> result(c.probes);
    for (std::uint64_t i = 0; i < c.probes; ++i) result[i] = key_of(row_of(c, thread, i));
    return result;
  }
  void check(config const& c, std::uint64_t thread) {
    rows.fetch();
    for (std::uint64_t i = 0; i < c.probes; ++i)
      if (auto const row = rows.at<std::uint32_t>(i); row != row_of(c, thread, i))
        throw error(fmt::format("calls: wrong row {} of probe {} of thread {}, expected {}", row, i, thread,
                                row_of(c, thread, i)));
  }
};

/// The times of a number of threads.
struct measured_calls {
  seconds all;      ///< of all calls of all threads, waits included
  double host = 0;  ///< median seconds of the host per call of the first thread, without waits
};

/// All calls of a thread. @return the seconds of each
std::vector<double> call_often(std::function<void()> const& call, own_work const& work) {
  std::vector<double> times(calls_of_thread);
  for (std::uint64_t i = 0; i < calls_of_thread; ++i) {
    wall_clock const clock;
    call();
    times[i] = clock.stop();
    if (i % calls_between_waits == calls_between_waits - 1) work.wait();
  }
  return times;
}

/// Runs once to warm up, then `repeat` times. @param call_of makes the call of a thread from its number and its work
template <class CallOf> measured_calls measure_calls(int threads, int repeat, execution const& exec, CallOf call_of) {
  auto const count = static_cast<std::size_t>(threads);
  std::vector<double> runs, host;
  std::vector<std::exception_ptr> failures(count);
  std::vector<own_work> works;
  for (std::size_t t = 0; t < count; ++t) works.emplace_back(exec);
  for (int r = -1; r < repeat; ++r) {
    std::barrier ready(threads + 1);
    std::vector<std::jthread> all;
    for (std::size_t t = 0; t < count; ++t)
      all.emplace_back([&, t] {
        ready.arrive_and_wait();
        try {
          auto const call = call_of(t, works[t].exec());
          auto const times = call_often(call, works[t]);
          if (t == 0) host.push_back(seconds::of(times).median);
        } catch (...) {
          failures[t] = std::current_exception();
        }
      });
    ready.arrive_and_wait();
    wall_clock const clock;
    all.clear();
    if (r >= 0) runs.push_back(clock.stop());
    for (auto const& failure : failures)
      if (failure) std::rethrow_exception(failure);
  }
  return {seconds::of(std::move(runs)), seconds::of(std::move(host)).median};
}

}  // namespace

void run_calls(config const& c, cli_context const& context, report& out) {
  execution const exec = make_execution(c.backend, 0);
  if (on_gpu(exec) && c.baselines != baseline_choice::none)
    for (int const threads : c.threads) {
      progress const shown(context, "empty kernels");
      auto const rates = measure_calls(threads, c.repeat, exec, [](std::size_t, execution const& own) {
        return std::function<void()>([&own] { gpu::start_nothing(own); });
      });
      out.add({"empty kernel", threads, rates.all, static_cast<std::uint64_t>(threads) * calls_of_thread});
    }
  array<std::uint32_t> keys(c.n);
  parallel_chunks(c.n, [&](std::uint64_t begin, std::uint64_t end) {
    for (auto i = begin; i < end; ++i) keys[i] = key_of(i);
  });
  placed<std::uint32_t> const column(keys.first(c.n), exec);
  for (spec const& s : c.specs) {
    progress const shown(context, s.text());
    auto const built = warpdex::index::build(s, column.keys(), exec);
    for (int const threads : c.threads) {
      std::vector<std::unique_ptr<question>> questions;
      for (int t = 0; t < threads; ++t)
        questions.push_back(std::make_unique<question>(c, static_cast<std::uint64_t>(t), exec));
      auto const rates = measure_calls(threads, c.repeat, exec, [&](std::size_t t, execution const& own) {
        question& mine = *questions[t];
        return std::function<void()>(
            [&built, &own, probes = mine.keys.keys(), rows = row_output(mine.rows.as<std::uint32_t>())] {
              built.find(nullable_column(probes), rows, own);
            });
      });
      for (std::size_t t = 0; t < questions.size(); ++t) questions[t]->check(c, t);
      double const rate = rate_of(static_cast<std::uint64_t>(threads) * calls_of_thread, rates.all.median);
      record line;
      line["name"] = s.text();
      line["resolved"] = built.spec_text();
      line["threads"] = threads;
      put_time(line, rates.all);
      line["rate"] = rate;
      line["host_s"] = rates.host;
      line["probes"] = c.probes;
      line["index_bytes"] = built.memory().total();
      out.add_index(std::move(line), rate);
    }
  }
}

}  // namespace warpdex::bench
