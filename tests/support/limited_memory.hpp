// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/error.hpp>
#include <warpdex/memory.hpp>

#include <string>

namespace warpdex::test {

/// Refuses allocations of more than `limit` bytes.
class limited_memory final : public memory_resource {
 public:
  explicit limited_memory(memory_resource& upstream) : upstream_(upstream) {}

  std::size_t limit = static_cast<std::size_t>(-1);
  int refused = 0;

  void* allocate(std::size_t bytes, stream_ref stream) override {
    if (bytes > limit) {
      ++refused;
      throw out_of_memory("limited memory: cannot allocate " + std::to_string(bytes) + " bytes");
    }
    return upstream_.allocate(bytes, stream);
  }
  void deallocate(void* pointer, std::size_t bytes, stream_ref stream) noexcept override {
    upstream_.deallocate(pointer, bytes, stream);
  }
  backend_kind backend() const noexcept override { return upstream_.backend(); }

 private:
  memory_resource& upstream_;
};

}  // namespace warpdex::test
