// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/current_device.hpp>
#include <warpdex/error.hpp>
#include <warpdex/index.hpp>
#include <warpdex/sharded.hpp>

#include <nanobind/nanobind.h>

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "columns.hpp"
#include "fair_lock.hpp"
#include "gil.hpp"
#include "watched.hpp"

namespace warpdex::python {

/// Waits for the device of a column, which may still be written there.
inline void complete(column const& of) {
  std::optional<int> const device = of.size == 0 ? std::nullopt : device_of(of.data);
  if (!device) return;
  device_scope const home(*device);
  synchronize_device();
}

/// @param devices -1 for the host
inline std::vector<shard_place> places_on(std::vector<int> const& devices, int threads) {
  std::vector<shard_place> result;
  for (int const device : devices) result.push_back(device < 0 ? shard_place{on_host(threads)} : place_on(device));
  return result;
}

/// @return the spec with row ids that are wide enough for positions in Python, if it says nothing of them
inline std::string wide_enough(std::string spec, std::uint64_t size) {
  if (size > std::numeric_limits<std::int32_t>::max() && spec.find("rows=") == spec.npos)
    spec += std::string(spec.find('/') == spec.npos ? "/" : ",") + "rows=u64";
  return spec;
}

/// @return whether row ids of an index need more bits to have a sign, as they have in Python, where -1 is none
/// @throws unsupported if those of 64 bits do
inline bool has_large_rows(any_index const& of, execution const& exec) {
  std::uint64_t const most = of.greatest_row(exec);
  if (most > std::numeric_limits<std::int64_t>::max())
    throw unsupported("the index has the row id " + std::to_string(most) + ", which int64 does not hold");
  return of.row_type() == row_type::u32 && most > std::numeric_limits<std::int32_t>::max();
}

/// Gives an index of a file, which programs in other languages may have written, row ids as Python has them.
inline void make_signed(any_index& loaded, execution const& exec) {
  if (has_large_rows(loaded, exec)) loaded.widen_rows(exec);
}

/// Where calls of an index run: on the host, or on a device.
class index_home {
 public:
  /// @param on_devices whether a part of the index is on a device
  index_home(int device, bool on_devices) : device_(device), on_devices_(on_devices) {}
  explicit index_home(int device) : index_home(device, device >= 0) {}

  int device() const { return device_; }

  /// Makes the device the current one.
  /// @throws device_error in a process made by fork
  void enter(std::optional<device_scope>& here) const {
    if (!on_devices_) return;
    if (owner_ != ::getpid())
      throw device_error("the index is on " + (device_ < 0 ? "devices" : "cuda:" + std::to_string(device_)) +
                         ", which a process made by fork cannot use; use spawn, or an index on the CPU");
    if (device_ >= 0) here.emplace(device_);
  }

  /// Calls `f` with the execution of a call, under the GIL or not.
  /// @param where the stream of a call on a device, the most threads of one on the host
  template <class F> auto run(std::int64_t where, F const& f) const {
    std::optional<device_scope> here;
    enter(here);
    return f(on(device_, where));
  }

  /// Ends what is there. Lookups may still run on the device.
  /// @tparam Pointer  that owns it
  template <class Pointer> void end(Pointer& held) const {
    if (!on_devices_) return;
    if (owner_ != ::getpid()) {
      static_cast<void>(new Pointer(std::move(held)));  // never destroyed
      return;
    }
    try {
      without_gil const free;
      std::optional<device_scope> here;
      if (device_ >= 0) {
        here.emplace(device_);
        synchronize_device();
      }
      held.reset();
    } catch (error const&) {  // the context is gone, and all memory with it
    }
  }

 private:
  int device_;
  bool on_devices_;
  pid_t owner_ = ::getpid();
};

/// An index that threads share. Lookups run at once; an update runs alone. Each waits for its turn.
///
/// An index on a device has that device made current for each of its calls. CUDA does not survive a fork, so a child
/// gets errors from it, and leaves its memory alone.
class shared_index {
 public:
  shared_index(index built, int device) : shared_index(std::make_shared<index>(std::move(built)), device) {}
  /// One over several places, whose calls run on the host.
  explicit shared_index(sharded_index built) : shared_index(std::make_shared<sharded_index>(std::move(built)), -1) {}
  shared_index(std::shared_ptr<any_index> built, int device)
      : shared_index(std::move(built), device, std::make_shared<turns>()) {}

  /// @return the same index over several places, for calls that run on one of its devices
  std::unique_ptr<shared_index> at(int device) const {
    return std::unique_ptr<shared_index>(new shared_index(index_, device, turns_));
  }

  ~shared_index() { home_.end(index_); }
  shared_index(shared_index const&) = delete;
  shared_index& operator=(shared_index const&) = delete;

  int device() const { return home_.device(); }
  key_type keys() const { return keys_; }
  row_type rows() const { return rows_; }

  /// @param where the stream of a call on a device, the most threads of one on the host
  execution on(std::int64_t where) const { return python::on(device(), where); }

  /// @return keys or probes. Numbers as wide as the index's times are such times
  template <class... Parts> auto column_of(Parts... parts) const {
    auto column = python::column_of(parts...);
    if (keys_ == key_type::date && column.type == key_type::i32) column.type = keys_;
    if (keys_ == key_type::timestamp && column.type == key_type::i64) column.type = keys_;
    return column;
  }

  /// @return where the results of a call go: to the device if its probes are there
  results results_of(nanobind::handle probes, std::int64_t where) const {
    return python::results_of(device(), probes, where);
  }

  /// The lock for calls that take several lookups, which then see one state of the index.
  fair_lock& lock() const { return turns_->lock; }

  /// @return the number of updates so far
  std::uint64_t version() const { return turns_->version; }

  template <class F> auto look_up(F const& f) const {
    locked const held(lock(), fair_lock::use::read);
    return watched([&] { return look_up_locked(f); });
  }

  /// The same under a lock that is held, without the GIL.
  /// @throws unsupported if `f` takes an `index`, and this one is spread over several places
  template <class F> auto look_up_locked(F const& f) const {
    std::optional<device_scope> here;
    home_.enter(here);
    if constexpr (std::is_invocable_v<F const&, any_index const&>) return f(static_cast<any_index const&>(*index_));
    else return f(whole());
  }

  template <class F> nanobind::tuple update(F const& f) {
    update_counts counts;
    {
      locked const held(lock(), fair_lock::use::write);
      without_gil const free;
      std::optional<device_scope> here;
      home_.enter(here);
      if (device() >= 0) synchronize_device();  // lookups may still run there
      counts = f(*index_);
      ++turns_->version;
    }
    return nanobind::make_tuple(counts.inserted, counts.erased, counts.cancelled);
  }

 private:
  /// What all who share an index wait for.
  struct turns {
    fair_lock lock;
    std::atomic<std::uint64_t> version = 0;
  };

  shared_index(std::shared_ptr<any_index> built, int device, std::shared_ptr<turns> shared)
      : index_(std::move(built)), turns_(std::move(shared)), keys_(index_->key_type()), rows_(index_->row_type()),
        home_(device, device >= 0 || is_on_devices(*index_)) {}

  static bool is_on_devices(any_index const& built) {
    auto const* const shards = dynamic_cast<sharded_index const*>(&built);
    if (shards == nullptr) return false;
    auto const all = shards->shards();
    return std::any_of(all.begin(), all.end(), [](shard_info const& shard) { return shard.device >= 0; });
  }

  index const& whole() const {
    if (auto const* const whole = dynamic_cast<index const*>(index_.get())) return *whole;
    throw unsupported("this call needs an index in one place, but the index is spread over several");
  }

  std::shared_ptr<any_index> index_;
  std::shared_ptr<turns> turns_;
  key_type keys_;
  row_type rows_;
  index_home home_;
};

}  // namespace warpdex::python
