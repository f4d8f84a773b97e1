// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/build_progress.hpp>

/// @file
/// How code within a call says how far it is (build_progress.hpp). Each piece of work knows its own steps alone.
namespace warpdex {

/// Says that a part of the current step of the thread's call is done, from 0 to 1. Without a scope it does nothing.
void tell_progress(double done) noexcept;

/// Makes the part [from, to] of the current step a separate step, for the life of this object.
class progress_step {
 public:
  progress_step(double from, double to) noexcept;
  ~progress_step();
  progress_step(progress_step const&) = delete;
  progress_step& operator=(progress_step const&) = delete;

 private:
  double const begin_;  ///< of the step around this one
  double const size_;
};

}  // namespace warpdex
