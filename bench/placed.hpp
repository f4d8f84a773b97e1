// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/config.hpp"
#include "bench/data.hpp"
#include "bench/gpu.hpp"
#include "bench/parallel.hpp"

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

/// Memory for a copy of a host array; none if the array is used as it is.
inline buffer room_for_copy(std::uint64_t bytes, execution const& exec, placement place) {
  if (!on_gpu(exec) || place == placement::host || bytes == 0) return {};
  return buffer(bytes, place == placement::device ? exec : execution(gpu::pinned_memory()));
}

/// An input. It must not outlive the host array.
template <class T> class placed {
 public:
  placed(std::span<T const> host, execution const& exec, placement place = placement::device)
      : host_(host), copy_(room_for_copy(host.size_bytes(), exec, place)), data_(host.data()) {
    if (copy_.bytes() == 0) return;
    warpdex::copy(copy_.data(), host.data(), host.size_bytes(), exec);
    data_ = copy_.template as<T>();
  }

  T const* data() const noexcept { return data_; }
  std::uint64_t size() const noexcept { return host_.size(); }
  column keys() const { return keys(0, size()); }
  column keys(std::uint64_t first, std::uint64_t count) const {
    return column(std::span<T const>(data_ + first, count));
  }
  std::span<T const> host() const noexcept { return host_; }

  /// Bytes of the array.
  std::uint64_t bytes() const noexcept { return host_.size_bytes(); }

 private:
  std::span<T const> host_;
  buffer copy_;
  T const* data_;
};

/// An output, and its content on the host after `fetch`.
class result_array {
 public:
  result_array(std::uint64_t size, std::size_t width, execution const& exec, placement place = placement::device)
      : exec_(exec), copy_(room_for_copy(size * width, exec, place)), bytes_(size * width),
        on_device_(copy_.bytes() != 0 && place == placement::device) {
    if (!on_device_) host_ = array<unsigned char>(bytes_);
  }

  bool on_device() const noexcept { return on_device_; }

  void* data() const noexcept { return copy_.bytes() != 0 ? copy_.data() : host_.data(); }
  template <class T> std::span<T> as() const noexcept { return {static_cast<T*>(data()), bytes_ / sizeof(T)}; }

  /// Overwrites everything, so an earlier answer cannot be taken for a new one.
  void poison() {
    if (bytes_ == 0) return;
    if (on_device_) return gpu::fill(copy_.data(), 0xa5, bytes_, exec_);
    parallel_chunks(
        bytes_, [&](std::uint64_t begin, std::uint64_t end) { std::memset(host_.data() + begin, 0xa5, end - begin); });
    if (copy_.bytes() != 0) warpdex::copy(copy_.data(), host_.data(), bytes_, exec_);
  }

  void fetch() {
    if (copy_.bytes() == 0) return;
    if (host_.size() == 0) host_ = array<unsigned char>(bytes_);
    warpdex::copy(host_.data(), copy_.data(), bytes_, exec_);
  }

  /// Element `i` as fetched.
  template <class T> T at(std::uint64_t i) const noexcept { return reinterpret_cast<T const*>(host_.data())[i]; }

 private:
  execution exec_;
  array<unsigned char> host_;
  buffer copy_;
  std::uint64_t bytes_;
  bool on_device_;
};

}  // namespace warpdex::bench
