// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/copy_crew.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include <algorithm>
#include <cstring>
#include <limits>

namespace warpdex {
namespace {

/// Bytes that a thread takes at a time.
constexpr std::size_t slice_bytes = 256 << 10;

/// The bit of a state word that says whether to write past the caches.
constexpr std::uint64_t past_caches_bit = std::uint64_t{1} << 31;

/// How often a thread looks for work before it sleeps. This takes about a tenth of a millisecond.
constexpr int looks_before_sleep = 2000;

/// Copies with stores that bypass the caches. The processor then need not read the lines that it overwrites, which
/// doubles the rate.
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
#endif
}

copy_crew::copy_crew(int threads, int most_writers) : most_writers_(most_writers) {
  threads_.emplace((threads > 0 ? threads : std::numeric_limits<int>::max()) - 1, [this] { work(); });
}

copy_crew::~copy_crew() {
  stops_.store(true, std::memory_order_relaxed);
  next_.fetch_add(1, std::memory_order_release);
  next_.notify_all();
  threads_.reset();
}

std::uint32_t copy_crew::start(host_copy const& copy) {
  std::uint32_t const number = next_.load(std::memory_order_relaxed);
  bool const at_once = copy.bytes <= slice_bytes;
  if (at_once && copy.bytes != 0) copy_on_host(copy, 0, copy.bytes);
  std::uint64_t const slices = at_once ? 0 : (copy.bytes + slice_bytes - 1) / slice_bytes;
  slot& s = slots_[number % capacity];
  while (s.left.load(std::memory_order_acquire) != 0)
    if (!help()) spin_pause();
  pass_done();
  s.copy = copy;
  s.left.store(slices, std::memory_order_relaxed);
  s.state.store(std::uint64_t{number} << 32 | (copy.past_caches ? past_caches_bit : 0) | slices << 16,
                std::memory_order_release);
  next_.store(number + 1, std::memory_order_release);
  if (!at_once) next_.notify_all();
  return number;
}

bool copy_crew::done(std::uint32_t number) const {
  slot const& s = slots_[number % capacity];
  return s.state.load(std::memory_order_relaxed) >> 32 != number || s.left.load(std::memory_order_acquire) == 0;
}

bool copy_crew::help() {
  pass_done();
  return help_with_any();
}

void copy_crew::pass_done() {
  std::uint32_t oldest = oldest_.load(std::memory_order_relaxed);
  while (oldest != next_.load(std::memory_order_relaxed) && done(oldest)) ++oldest;
  oldest_.store(oldest, std::memory_order_release);
}

bool copy_crew::help_with_any() {
  std::uint32_t number = oldest_.load(std::memory_order_acquire);
  std::uint32_t const next = next_.load(std::memory_order_acquire);  // after `oldest_`, or that could be past `next`
  for (; number != next; ++number)
    if (help_with(number)) return true;
  return false;
}

/// @return whether the calling thread may now write past the caches
bool copy_crew::join_writers() {
  int writers = writers_.load(std::memory_order_relaxed);
  while (writers < most_writers_)
    if (writers_.compare_exchange_weak(writers, writers + 1, std::memory_order_relaxed)) return true;
  return false;
}

/// Takes a slice of one copy and copies it.
/// @return false if all slices are taken, the slot has another copy by now, or enough threads write past the caches
bool copy_crew::help_with(std::uint32_t number) {
  slot& s = slots_[number % capacity];
  std::uint64_t state = s.state.load(std::memory_order_acquire);
  auto const has_slices = [&] { return state >> 32 == number && (state >> 16 & 0x7fff) != (state & 0xffff); };
  if (!has_slices()) return false;
  bool const writes = (state & past_caches_bit) != 0;
  if (writes && !join_writers()) return false;
  bool taken = false;
  while (!taken && has_slices()) taken = s.state.compare_exchange_weak(state, state + 1, std::memory_order_acquire);
  if (taken) {
    // `left` counts this slice, so the slot gets no other copy before the slice is done.
    std::size_t const begin = (state & 0xffff) * slice_bytes;
    copy_on_host(s.copy, begin, std::min(slice_bytes, s.copy.bytes - begin));
    s.left.fetch_sub(1, std::memory_order_release);
  }
  if (writes) writers_.fetch_sub(1, std::memory_order_relaxed);
  return taken;
}

void copy_crew::work() {
  workers_.fetch_add(1, std::memory_order_relaxed);
  for (int looks = 0;;) {
    std::uint32_t const next = next_.load(std::memory_order_acquire);
    if (stops_.load(std::memory_order_relaxed)) return;
    if (help_with_any()) {
      looks = 0;
    } else if (++looks < looks_before_sleep) {
      spin_pause();
    } else {
      next_.wait(next, std::memory_order_acquire);
      looks = 0;
    }
  }
}

}  // namespace warpdex
