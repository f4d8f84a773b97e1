// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>

namespace warpdex {

/// A value that is made by the first call that needs it. Calls may come from many threads.
template <class T> class made_once {
 public:
  /// @return the value; where there is none, make() makes it. What that throws leaves it without a value
  template <class Make> T const& get(Make const& make) const {
    std::lock_guard const lock(guard_);
    if (!value_) value_.emplace(make());
    return *value_;
  }

  /// @return the value, or null while there is none
  T const* known() const {
    std::lock_guard const lock(guard_);
    return value_ ? &*value_ : nullptr;
  }

  /// Drops the value. No other call may use it.
  void reset() { value_.reset(); }

 private:
  mutable std::mutex guard_;
  mutable std::optional<T> value_;
};

}  // namespace warpdex
