// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

namespace warpdex::io {

/// The bytes of one buffer, which are in a file or in bytes of the caller. It ends with that buffer.
class memory_in_place final : public memory_resource {
 public:
  /// @param bytes at least one
  static buffer of(std::span<std::byte const> bytes, std::shared_ptr<void const> owner) {
    auto made = std::unique_ptr<memory_in_place>(new memory_in_place(bytes.data(), std::move(owner)));
    buffer held(bytes.size(), execution(*made));
    static_cast<void>(made.release());  // by `deallocate`
    return held;
  }

  void* allocate(std::size_t, stream_ref) override { return const_cast<std::byte*>(data_); }
  void deallocate(void*, std::size_t, stream_ref) noexcept override { delete this; }
  backend_kind backend() const noexcept override { return backend_kind::cpu; }

 private:
  memory_in_place(std::byte const* data, std::shared_ptr<void const> owner) : data_(data), owner_(std::move(owner)) {}

  std::byte const* data_;
  std::shared_ptr<void const> owner_;
};

}  // namespace warpdex::io
