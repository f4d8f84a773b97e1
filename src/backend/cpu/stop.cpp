// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/stop.hpp"

#include <warpdex/error.hpp>

namespace warpdex {
namespace {

thread_local stop_scope const* current = nullptr;

}  // namespace

stop_scope::stop_scope(std::stop_token stop) : stop_scope(std::move(stop), {}) {}
stop_scope::stop_scope(std::stop_token stop, std::function<void()> look)
    : stop_(std::move(stop)), look_(std::move(look)), thread_(std::this_thread::get_id()),
      outer_(std::exchange(current, this)) {}
stop_scope::~stop_scope() { current = outer_; }

void stop_scope::look() {
  for (stop_scope const* scope = current; scope != nullptr; scope = scope->outer_) {
    if (scope->look_ && scope->thread_ == std::this_thread::get_id()) scope->look_();
    if (scope->stop_.stop_requested()) throw cancelled("the call was asked to stop");
    if (!scope->stop_.stop_possible()) return;
  }
}

stop_scope const* current_stop() noexcept { return current; }

lent_stop::lent_stop(stop_scope const* stop) noexcept : outer_(std::exchange(current, stop)) {}
lent_stop::~lent_stop() { current = outer_; }

}  // namespace warpdex
