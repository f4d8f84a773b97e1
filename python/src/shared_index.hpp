// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>
#include <warpdex/index.hpp>

#include <nanobind/nanobind.h>

#include <mutex>
#include <shared_mutex>
#include <utility>

namespace warpdex::python {

/// An index that threads share. Lookups run at once; an update runs alone. Neither waits for the other, which could
/// hang a caller.
class shared_index {
 public:
  explicit shared_index(index built) : index_(std::move(built)) {}

  template <class F> auto look_up(F const& f) const {
    nanobind::gil_scoped_release const free;
    std::shared_lock const lock(mutex_, std::try_to_lock);
    if (!lock) throw invalid_argument("an update of the index is running");
    return f(index_);
  }

  template <class F> nanobind::tuple update(F const& f) {
    update_counts counts;
    {
      nanobind::gil_scoped_release const free;
      std::unique_lock const lock(mutex_, std::try_to_lock);
      if (!lock) throw invalid_argument("a lookup or an update of the index is running");
      counts = f(index_);
    }
    return nanobind::make_tuple(counts.inserted, counts.erased, counts.cancelled);
  }

 private:
  index index_;
  mutable std::shared_mutex mutex_;
};

}  // namespace warpdex::python
