// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/current_device.hpp>
#include <warpdex/error.hpp>
#include <warpdex/index.hpp>

#include <nanobind/nanobind.h>

#include <unistd.h>

#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <utility>

#include "columns.hpp"

namespace warpdex::python {

/// An index that threads share. Lookups run at once; an update runs alone. Neither waits for the other, which could
/// hang a caller.
///
/// An index on a device has that device made current for each of its calls. CUDA does not survive a fork, so a child
/// gets errors from it, and leaves its memory alone.
class shared_index {
 public:
  shared_index(index built, int device) : index_(std::make_unique<index>(std::move(built))), device_(device) {}

  // Lookups may still run on the device.
  ~shared_index() {
    if (device_ < 0) return;
    if (owner_ != ::getpid()) {
      static_cast<void>(index_.release());
      return;
    }
    try {
      nanobind::gil_scoped_release const free;
      device_scope const here(device_);
      synchronize_device();
      index_.reset();
    } catch (error const&) {  // the context is gone, and all memory with it
    }
  }
  shared_index(shared_index const&) = delete;
  shared_index& operator=(shared_index const&) = delete;

  int device() const { return device_; }

  /// @param where the stream of a call on a device, the most threads of one on the host
  execution on(std::int64_t where) const { return python::on(device_, where); }

  /// @return where the results of a call go: to the device if its probes lie there
  results results_of(nanobind::handle probes, std::int64_t where) const {
    bool const strings = nanobind::isinstance<nanobind::tuple>(probes);
    bool const there = on_device(strings ? nanobind::object(nanobind::borrow<nanobind::tuple>(probes)[0])
                                         : nanobind::borrow<nanobind::object>(probes));
    return {device_, there, where};
  }

  template <class F> auto look_up(F const& f) const {
    nanobind::gil_scoped_release const free;
    return look_up_without_gil(f);
  }

  /// The same for threads that do not hold the GIL.
  template <class F> auto look_up_without_gil(F const& f) const {
    std::shared_lock const lock(mutex_, std::try_to_lock);
    if (!lock) throw invalid_argument("an update of the index is running");
    std::optional<device_scope> here;
    enter(here);
    return f(static_cast<index const&>(*index_));
  }

  template <class F> nanobind::tuple update(F const& f) {
    update_counts counts;
    {
      nanobind::gil_scoped_release const free;
      std::unique_lock const lock(mutex_, std::try_to_lock);
      if (!lock) throw invalid_argument("a lookup or an update of the index is running");
      std::optional<device_scope> here;
      enter(here);
      if (device_ >= 0) synchronize_device();  // lookups may still run there
      counts = f(*index_);
    }
    return nanobind::make_tuple(counts.inserted, counts.erased, counts.cancelled);
  }

 private:
  void enter(std::optional<device_scope>& here) const {
    if (device_ < 0) return;
    if (owner_ != ::getpid())
      throw device_error("the index lies on cuda:" + std::to_string(device_) +
                         ", which a process made by fork cannot use; use spawn, or an index on the CPU");
    here.emplace(device_);
  }

  std::unique_ptr<index> index_;
  int device_;
  pid_t owner_ = ::getpid();
  mutable std::shared_mutex mutex_;
};

}  // namespace warpdex::python
