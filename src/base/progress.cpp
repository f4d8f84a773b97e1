// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "base/progress.hpp"

#include <utility>

namespace warpdex {
namespace {

thread_local progress_scope* current = nullptr;

// The current step, as a part of the whole call.
thread_local double begin = 0;
thread_local double size = 1;

}  // namespace

progress_scope::progress_scope(build_progress& progress) : progress_(progress), outer_(std::exchange(current, this)) {}
progress_scope::~progress_scope() { current = outer_; }

// Steps that are told out of turn, as those of a sort within a sort, take nothing back.
void progress_scope::set(double done) noexcept {
  if (done > progress_.done()) progress_.done_.store(done, std::memory_order_relaxed);
}

void tell_progress(double done) noexcept {
  if (current != nullptr) current->set(begin + done * size);
}

progress_step::progress_step(double from, double to) noexcept : begin_(begin), size_(size) {
  begin += from * size;
  size *= to - from;
}
progress_step::~progress_step() {
  begin = begin_;
  size = size_;
}

}  // namespace warpdex
