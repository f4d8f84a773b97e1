// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/index.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <vector>

/// @file
/// Arrays at awkward addresses of the host or of the device, with guards around outputs.
namespace warpdex::test {

enum class place : std::uint8_t { host, device };

/// A copy of some values in memory that ends where they end, so an address sanitizer sees each access
/// past them. `shift` moves its start: by bytes on the host, by elements on the device.
template <class T> class input_array {
 public:
  input_array(std::vector<T> const& values, place where, std::size_t shift, execution const& exec)
      : size_(values.size()) {
    std::size_t const bytes = values.size() * sizeof(T);
    if (where == place::host) {
      host_.resize(shift + bytes);
      data_ = host_.data() + shift;
      if (bytes != 0) std::memcpy(data_, values.data(), bytes);
    } else {
      device_ = buffer((shift + values.size()) * sizeof(T), exec);
      data_ = device_.as<T>() + shift;
      if (bytes != 0) copy(data_, values.data(), bytes, exec);
    }
  }

  void const* data() const noexcept { return data_; }
  std::uint64_t size() const noexcept { return size_; }

 private:
  std::uint64_t size_;
  std::vector<std::byte> host_;
  buffer device_;
  void* data_ = nullptr;
};

/// Memory for a call's results between two guards.
template <class T> class output_array {
 public:
  output_array(std::uint64_t size, T fill, place where, execution const& exec)
      : size_(size), fill_(fill), where_(where), exec_(exec), host_(size + 2, fill) {
    if (where_ == place::device) {
      device_ = buffer(host_.size() * sizeof(T), exec);
      copy(device_.data(), host_.data(), host_.size() * sizeof(T), exec_);
    }
  }

  T* data() noexcept { return (where_ == place::host ? host_.data() : device_.template as<T>()) + 1; }
  std::uint64_t size() const noexcept { return size_; }
  std::span<T> span() noexcept { return {data(), size_}; }

  /// @return the written values, once the work on the stream is done
  std::vector<T> read() {
    if (where_ == place::device) copy(host_.data(), device_.data(), host_.size() * sizeof(T), exec_);
    if (std::memcmp(&host_.front(), &fill_, sizeof(T)) != 0 || std::memcmp(&host_.back(), &fill_, sizeof(T)) != 0) {
      throw std::runtime_error("wrote outside of the output array");
    }
    return {host_.begin() + 1, host_.end() - 1};
  }

 private:
  std::uint64_t size_;
  T fill_;
  place where_;
  execution exec_;
  std::vector<T> host_;
  buffer device_;
};

/// @return `count` values of a buffer in the memory of `exec`, on the host
template <class T> std::vector<T> read_buffer(buffer const& source, std::uint64_t count, execution const& exec) {
  if (source.bytes() < count * sizeof(T)) throw std::runtime_error("a result buffer is shorter than its results");
  std::vector<T> result(count);
  if (count != 0) copy(result.data(), source.data(), count * sizeof(T), exec);
  return result;
}

}  // namespace warpdex::test
