// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <warpdex/error.hpp>
#include <warpdex/memory.hpp>

#include <cstdlib>
#include <limits>
#include <string>

#include "base/api_border.hpp"

namespace warpdex {
namespace {

/// With pages of 4 KiB. Kernels for aarch64 with pages of 64 KiB have huge pages of 512 MiB. A block that is larger
/// than two of them holds some wherever it begins, so blocks are not aligned to them.
constexpr std::size_t huge_page = std::size_t{1} << 21;
constexpr std::size_t alignment = 256;

std::size_t round_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }

/// Memory from the heap. Large blocks ask for huge pages: with small ones, random access pays for address translation.
class heap final : public memory_resource {
 public:
  void* allocate(std::size_t bytes, stream_ref) override {
    bool const large = bytes >= huge_page;
    std::size_t const unit = large ? huge_page : alignment;
    void* const pointer = bytes > std::numeric_limits<std::size_t>::max() - unit
                              ? nullptr
                              : std::aligned_alloc(unit, round_up(bytes, unit));
    if (pointer == nullptr) throw out_of_memory("host memory: cannot allocate " + std::to_string(bytes) + " bytes");
    if (large) ::madvise(pointer, round_up(bytes, unit), MADV_HUGEPAGE);  // only advice, so it may fail
    return pointer;
  }

  void deallocate(void* pointer, std::size_t, stream_ref) noexcept override { std::free(pointer); }
  backend_kind backend() const noexcept override { return backend_kind::cpu; }
};

}  // namespace

memory_resource& host_memory() {
  static memory_resource& resource = *new heap;  // never destroyed: static indexes free into it
  return resource;
}

buffer::buffer(std::size_t bytes, execution const& exec)
    : data_(detail::run_call("buffer",  // too many for a name each in profilers
                             [&] {
                               expect_usable("buffer", exec);
                               return bytes == 0 ? nullptr : exec.memory->allocate(bytes, exec.stream);
                             })),
      bytes_(bytes), memory_(exec.memory), stream_(exec.stream) {}

void buffer::reset() noexcept {
  if (data_ != nullptr) memory_->deallocate(data_, bytes_, stream_);
  data_ = nullptr;
  bytes_ = 0;
}

}  // namespace warpdex
