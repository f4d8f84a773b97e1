// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/copy_crew.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstring>
#include <limits>

#include "backend/cpu/tuning.hpp"

namespace warpdex {
namespace {

/// Copies with stores that bypass the caches. The processor then need not read the lines that it overwrites, which
/// doubles the rate. Processors of aarch64 do not read lines that a copy overwrites in a row.
void copy_past_caches(std::byte* to, std::byte const* from, std::size_t bytes) {
#if defined(__SSE2__)
  constexpr std::size_t line = 64;
  std::size_t const before = std::min(bytes, -reinterpret_cast<std::uintptr_t>(to) % line);
  std::memcpy(to, from, before);
  std::size_t at = before;
  for (; at + line <= bytes; at += line)
    for (std::size_t i = at; i < at + line; i += sizeof(__m128i))
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), _mm_loadu_si128(reinterpret_cast<__m128i const*>(from + i)));
  _mm_sfence();
  std::memcpy(to + at, from + at, bytes - at);
#else
  std::memcpy(to, from, bytes);
#endif
}

void copy_on_host(host_copy const& copy, std::size_t begin, std::size_t bytes) {
  if (copy.past_caches) copy_past_caches(copy.to + begin, copy.from + begin, bytes);
  else std::memcpy(copy.to + begin, copy.from + begin, bytes);
}

}  // namespace

void spin_pause() {
#if defined(__SSE2__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

copy_crew::copy_crew(int threads, int most_writers) : most_writers_(most_writers) {
  threads_.emplace((threads > 0 ? threads : std::numeric_limits<int>::max()) - 1, [this] { work(); });
}

copy_crew::~copy_crew() {
  {
    std::lock_guard const lock(guard_);
    stops_ = true;
    for (task& t : tasks_) t.taken = t.copy.bytes;
    starts_.fetch_add(1, std::memory_order_relaxed);
  }
  started_.notify_all();
  threads_.reset();
}

std::uint32_t copy_crew::start(host_copy const& copy) {
  if (copy.bytes <= cpu::tuning::slice_bytes) {
    if (copy.bytes != 0) copy_on_host(copy, 0, copy.bytes);
    std::lock_guard const lock(guard_);
    return next_++;
  }
  std::uint32_t number = 0;
  {
    std::lock_guard const lock(guard_);
    number = next_++;
    tasks_.push_back({copy, number});
    starts_.fetch_add(1, std::memory_order_relaxed);
  }
  started_.notify_all();
  return number;
}

bool copy_crew::done(std::uint32_t number) const {
  std::lock_guard const lock(guard_);
  for (task const& t : tasks_)
    if (t.number == number) return t.done == t.copy.bytes;
  return true;
}

bool copy_crew::help() {
  std::unique_lock lock(guard_);
  auto const can_take = [&](task const& t) {
    return t.taken != t.copy.bytes && !(t.copy.past_caches && writers_ >= most_writers_);
  };
  auto const found = std::find_if(tasks_.begin(), tasks_.end(), can_take);
  if (found == tasks_.end()) return false;
  task& t = *found;  // stays where it is: tasks come and go at the ends, and this one is not done
  std::size_t const begin = t.taken;
  std::size_t const bytes = std::min<std::size_t>(cpu::tuning::slice_bytes, t.copy.bytes - begin);
  int const writes = t.copy.past_caches ? 1 : 0;
  t.taken += bytes;
  writers_ += writes;
  lock.unlock();
  copy_on_host(t.copy, begin, bytes);
  lock.lock();
  t.done += bytes;
  writers_ -= writes;
  while (!tasks_.empty() && tasks_.front().done == tasks_.front().copy.bytes) tasks_.pop_front();
  return true;
}

void copy_crew::work() {
  workers_.fetch_add(1, std::memory_order_relaxed);
  for (;;) {
    std::uint32_t const seen = starts_.load(std::memory_order_relaxed);
    while (help()) {
    }
    for (int looks = 0; starts_.load(std::memory_order_relaxed) == seen && looks < cpu::tuning::looks_before_sleep;
         ++looks)
      spin_pause();
    std::unique_lock lock(guard_);
    started_.wait(lock, [&] { return stops_ || starts_.load(std::memory_order_relaxed) != seen; });
    if (stops_) return;
  }
}

}  // namespace warpdex
