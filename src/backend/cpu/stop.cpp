// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/stop.hpp"

#include <warpdex/error.hpp>

namespace warpdex {
namespace {

thread_local std::stop_token const* current = nullptr;

}  // namespace

stop_scope::stop_scope(std::stop_token stop) : stop_(std::move(stop)), outer_(std::exchange(current, &stop_)) {}
stop_scope::~stop_scope() { current = outer_; }

std::stop_token const* current_stop() noexcept { return current; }

void expect_no_stop(std::stop_token const* stop) {
  if (stop != nullptr && stop->stop_requested()) throw cancelled("the call was asked to stop");
}

lent_stop::lent_stop(std::stop_token const* stop) noexcept : outer_(std::exchange(current, stop)) {}
lent_stop::~lent_stop() { current = outer_; }

}  // namespace warpdex
