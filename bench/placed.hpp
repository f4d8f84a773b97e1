// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/config.hpp"
#include "bench/data.hpp"
#include "bench/gpu.hpp"

#include <warpdex/column.hpp>
#include <warpdex/index.hpp>
#include <warpdex/memory.hpp>

#include <cstdint>
#include <cstring>

/// @file
/// Arrays where a backend works on them, or where the benchmark wants them: host arrays as they are, or
/// copies in the memory of the device or in pinned memory.
namespace warpdex::bench {

inline bool on_gpu(execution const& exec) { return exec.memory->backend() == backend_kind::cuda; }

/// Room for a copy of a host array; none if the array is used as it is.
inline buffer room_for_copy(std::uint64_t bytes, execution const& exec, placement place) {
  if (!on_gpu(exec) || place == placement::host || bytes == 0) return {};
  return buffer(bytes, place == placement::device ? exec : execution(gpu::pinned_memory()));
}

/// An input. The host array must live as long.
template <class T> class placed {
 public:
  placed(std::span<T const> host, execution const& exec, placement place = placement::device)
      : copy_(room_for_copy(host.size_bytes(), exec, place)), data_(host.data()), size_(host.size()) {
    if (copy_.bytes() == 0) return;
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

/// An output, and its content on the host after `fetch`.
class result_array {
 public:
  result_array(std::uint64_t size, std::size_t width, execution const& exec, placement place = placement::device)
      : exec_(exec), host_(size * width), copy_(room_for_copy(size * width, exec, place)), bytes_(size * width) {}

  void* data() const noexcept { return copy_.bytes() != 0 ? copy_.data() : host_.data(); }
  template <class T> std::span<T> as() const noexcept { return {static_cast<T*>(data()), bytes_ / sizeof(T)}; }

  /// Overwrites everything, so that no earlier answer can be taken for a new one.
  void poison() {
    if (bytes_ == 0) return;
    std::memset(host_.data(), 0xa5, bytes_);
    if (copy_.bytes() != 0) warpdex::copy(copy_.data(), host_.data(), bytes_, exec_);
  }

  void fetch() {
    if (copy_.bytes() != 0) warpdex::copy(host_.data(), copy_.data(), bytes_, exec_);
  }

  /// Element `i` as fetched.
  template <class T> T at(std::uint64_t i) const noexcept { return reinterpret_cast<T const*>(host_.data())[i]; }

 private:
  execution exec_;
  array<unsigned char> host_;
  buffer copy_;
  std::uint64_t bytes_;
};

}  // namespace warpdex::bench
