// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/batcher.hpp>
#include <warpdex/current_device.hpp>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "backend/backend.hpp"
#include "base/api_border.hpp"
#include "base/signals_blocked.hpp"
#include "request/expect.hpp"

namespace warpdex {
namespace {

using moment = std::chrono::steady_clock::time_point;

/// Probes of one lookup and one type, and who waits for their answers.
struct question {
  lookup what;
  warpdex::key_type type;
  std::vector<std::byte> numbers = {};
  byte_strings strings = {};
  std::vector<batcher::receiver> waiting = {};

  void add(column const& key, batcher::receiver&& done) {
    auto const* const bytes = static_cast<std::byte const*>(key.data);
    waiting.push_back(std::move(done));
    try {
      if (type == key_type::bytes) strings.push_back({reinterpret_cast<char const*>(bytes), key.strings.bytes});
      else numbers.insert(numbers.end(), bytes, bytes + size_of(type));
    } catch (...) {
      waiting.pop_back();
      throw;
    }
  }

  column probes() const {
    return type == key_type::bytes ? strings.view() : column(numbers.data(), waiting.size(), type);
  }

  void answer_by(batcher::answer_batch const& answer) const noexcept {
    std::vector<std::uint64_t> answers;
    std::exception_ptr failure;
    try {
      run_call(what.name, [&] {
        answers.resize(waiting.size());
        answer(what, probes(), answers);
      });
    } catch (...) {
      failure = std::current_exception();
    }
    for (std::size_t i = 0; i < waiting.size(); ++i) waiting[i](failure == nullptr ? answers[i] : 0, failure);
  }
};

/// Probes that are answered together.
struct batch {
  moment due;  ///< when the first of them has waited for long enough
  std::uint64_t size = 0;
  std::vector<question> questions = {};

  void add(lookup const& what, column const& key, batcher::receiver&& done) {
    auto const same = [&](question const& q) {
      return q.type == key.type && std::string_view(q.what.name) == what.name;
    };
    auto to = std::find_if(questions.begin(), questions.end(), same);
    if (to == questions.end()) to = questions.insert(to, {what, key.type});
    to->add(key, std::move(done));
    ++size;
  }
};

/// @return the time after a wait, which may be longer than clocks can tell
moment after(std::chrono::nanoseconds wait) {
  moment const now = std::chrono::steady_clock::now();
  return wait < moment::max() - now ? now + wait : moment::max();
}

bool has_one_answer(lookup const& what) {
  return what.takes != probe_form::ranges && !what.lists() &&
         (what.writes[1] == answer_kind::none || what.writes[1] == answer_kind::key);
}

/// Runs a lookup of one answer per probe, and widens the answers.
void answer_numbers(index const& from, lookup const& what, nullable_column const& probes,
                    std::span<std::uint64_t> answers, execution const& exec) {
  auto const look_up = [&](lookup_output const& to) {
    if (what.writes[1] == answer_kind::none) from.look_up(what, {probes}, {to}, exec);
    else from.look_up(what, {probes}, {to, key_output{}}, exec);
  };
  auto const widen = [&]<class Number>(Number, auto const& output, auto const& wide) {
    std::vector<Number> narrow(answers.size());
    look_up(output(narrow));
    std::transform(narrow.begin(), narrow.end(), answers.begin(), wide);
  };
  auto const as_rows = [](auto& rows) { return row_output(rows); };
  auto const wide_row = [](std::uint32_t row) {
    return row == no_row<std::uint32_t> ? no_row<std::uint64_t> : std::uint64_t{row};
  };
  if (what.writes[0] == answer_kind::flag)
    widen(
        std::uint8_t{}, [](auto& flags) { return std::span(flags); }, std::identity{});
  else if (what.writes[0] != answer_kind::row) look_up(answers);
  else if (from.row_type() == row_type::u32) widen(std::uint32_t{}, as_rows, wide_row);
  else look_up(row_output(answers));
}

}  // namespace

/// The probes that wait, and the thread that answers them.
class batcher::gathering {
 public:
  gathering(answer_batch answer, batch_limits const& limits) : answer_(std::move(answer)), limits_(limits) {
    signals_blocked const meanwhile;
    thread_ = std::thread([this] { work(); });
    own_ = thread_.get_id();
  }
  ~gathering() { stop(); }

  void add(lookup const& what, column const& key, receiver&& done) {
    std::lock_guard const lock(mutex_);
    if (stopped_) throw invalid_argument("ask: the batcher was stopped");
    if (waiting_.empty() || is_full(waiting_.back())) waiting_.push_back({after(limits_.longest_wait)});
    waiting_.back().add(what, key, std::move(done));
    if (waiting_.back().size == 1 || is_full(waiting_.back())) changed_.notify_one();
  }

  void stop() {
    {
      std::lock_guard const lock(mutex_);
      stopped_ = true;
      changed_.notify_one();
    }
    if (std::this_thread::get_id() == own_) return;
    std::call_once(joined_, [this] { thread_.join(); });
  }

 private:
  bool is_full(batch const& queue) const { return queue.size >= limits_.most_probes; }

  void work() noexcept {
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return stopped_ || !waiting_.empty(); });
      if (waiting_.empty()) return;
      changed_.wait_until(lock, waiting_.front().due, [&] { return stopped_ || is_full(waiting_.front()); });
      batch const next = std::move(waiting_.front());
      waiting_.pop_front();
      lock.unlock();
      for (question const& question : next.questions) question.answer_by(answer_);
      lock.lock();
    }
  }

  answer_batch const answer_;
  batch_limits const limits_;
  std::mutex mutex_;
  std::condition_variable changed_;  ///< a batch has begun or is full, or there will be no more
  std::deque<batch> waiting_;        ///< in order; all but the last are full
  bool stopped_ = false;
  std::once_flag joined_;
  std::thread thread_;
  std::thread::id own_;
};

batcher::batcher(index const& from, execution const& exec, batch_limits const& limits)
    : batcher(answers_of(from, exec), limits) {}

batcher::batcher(answer_batch answer, batch_limits const& limits)
    : gathering_(run_call("batcher", [&] {
        if (!answer) throw invalid_argument("batcher: there is no function that answers");
        if (limits.most_probes == 0) throw invalid_argument("batcher: most_probes is 0");
        if (limits.longest_wait < limits.longest_wait.zero())
          throw invalid_argument("batcher: longest_wait is " + std::to_string(limits.longest_wait.count()) + " ns");
        try {
          return std::make_unique<gathering>(std::move(answer), limits);
        } catch (std::system_error const& e) {
          throw out_of_memory(std::string("batcher: the system starts no thread: ") + e.what());
        }
      })) {}

batcher::~batcher() = default;

batcher::answer_batch batcher::answers_of(index const& from, execution const& exec) {
  return run_call("batcher", exec, [&]() -> answer_batch {
    int const device = device_of_call(exec);
    return [&from, exec, device](lookup const& what, nullable_column const& probes, std::span<std::uint64_t> answers) {
      std::optional<device_scope> on;
      if (device >= 0) on.emplace(device);
      answer_numbers(from, what, probes, answers, exec);
    };
  });
}

std::future<std::uint64_t> batcher::ask_one(lookup const& what, column key) {
  return run_call("ask", [&] {
    auto const promised = std::make_shared<std::promise<std::uint64_t>>();
    auto answer = promised->get_future();
    ask_one(what, key, [promised](std::uint64_t number, std::exception_ptr const& failure) {
      if (failure == nullptr) promised->set_value(number);
      else promised->set_exception(failure);
    });
    return answer;
  });
}

void batcher::ask_one(lookup const& what, column key, receiver done) {
  run_call("ask", [&] {
    if (!has_one_answer(what))
      throw invalid_argument(std::string("ask: ") + what.name + " takes ranges, or has more than one answer per probe");
    if (!done) throw invalid_argument("ask: there is no function that receives the answer");
    gathering_->add(what, key, std::move(done));
  });
}

void batcher::stop() { gathering_->stop(); }

}  // namespace warpdex
