// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/data.hpp"

#include <warpdex/column.hpp>
#include <warpdex/index.hpp>
#include <warpdex/memory.hpp>

#include <cstdint>
#include <cstring>

/// @file
/// Arrays where a backend works on them: host arrays as they are, or copies on the device.
namespace warpdex::bench {

inline bool on_gpu(execution const& exec) { return exec.memory->backend() == backend_kind::cuda; }

/// An input in the memory of `exec`. The host array must live as long.
template <class T> class placed {
 public:
  placed(std::span<T const> host, execution const& exec) : data_(host.data()), size_(host.size()) {
    if (!on_gpu(exec) || host.empty()) return;
    copy_ = buffer(host.size_bytes(), exec);
    warpdex::copy(copy_.data(), host.data(), host.size_bytes(), exec);
    data_ = copy_.template as<T>();
  }

  T const* data() const noexcept { return data_; }
  std::uint64_t size() const noexcept { return size_; }
  column keys() const { return column(std::span<T const>(data_, size_)); }

 private:
  buffer copy_;
  T const* data_;
  std::uint64_t size_;
};

/// An output in the memory of `exec`, and its content on the host after `fetch`.
class result_array {
 public:
  result_array(std::uint64_t size, std::size_t width, execution const& exec)
      : exec_(exec), host_(size * width), bytes_(size * width) {
    if (on_gpu(exec)) device_ = buffer(bytes_, exec);
  }

  void* data() const noexcept { return on_gpu(exec_) ? device_.data() : host_.data(); }
  template <class T> std::span<T> as() const noexcept { return {static_cast<T*>(data()), bytes_ / sizeof(T)}; }

  /// Overwrites everything, so that no earlier answer can be taken for a new one.
  void poison() {
    if (bytes_ == 0) return;
    std::memset(host_.data(), 0xa5, bytes_);
    if (on_gpu(exec_)) warpdex::copy(device_.data(), host_.data(), bytes_, exec_);
  }

  void fetch() {
    if (on_gpu(exec_) && bytes_ > 0) warpdex::copy(host_.data(), device_.data(), bytes_, exec_);
  }

  /// Element `i` as fetched.
  template <class T> T at(std::uint64_t i) const noexcept { return reinterpret_cast<T const*>(host_.data())[i]; }

 private:
  execution exec_;
  array<unsigned char> host_;
  buffer device_;
  std::uint64_t bytes_;
};

}  // namespace warpdex::bench
