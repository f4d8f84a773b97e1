// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <sys/resource.h>
#include <unistd.h>
#include <warpdex/error.hpp>
#include <warpdex/memory.hpp>

#include <cstdint>
#include <string>

#include "backend/backend.hpp"
#include "backend/cpu/parallel.hpp"
#include "backend/cuda/check.hpp"
#include "backend/cuda/tuning.hpp"

namespace warpdex {
namespace {

/// @return what limits page-locked memory, for messages
std::string limits_text() {
  auto const page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  auto const free = static_cast<std::uint64_t>(::sysconf(_SC_AVPHYS_PAGES)) * page;
  auto const all = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) * page;
  rlimit locked{};
  ::getrlimit(RLIMIT_MEMLOCK, &locked);
  return "the host has " + std::to_string(free) + " of " + std::to_string(all) + " bytes free, and `ulimit -l` is " +
         (locked.rlim_cur == RLIM_INFINITY ? "unlimited" : std::to_string(locked.rlim_cur / 1024) + " KiB");
}

/// Reports that pages could not be locked.
[[noreturn]] void fail_to_lock(cudaError_t status, std::size_t bytes, char const* what, int line) {
  if (status != cudaErrorMemoryAllocation) cuda::fail(status, what, __FILE__, line);
  cudaGetLastError();
  throw out_of_memory("page-locked memory: cannot lock " + std::to_string(bytes) + " bytes; " + limits_text());
}

/// Page-locked memory at one address for the host and all devices. The driver gives small blocks. Large ones are huge
/// pages that all cores fill and the driver then locks, which takes a tenth of the time.
class pinned_host final : public memory_resource {
 public:
  explicit pinned_host(int device) {
    int can = 0;
    WDX_CUDA_TRY(cudaDeviceGetAttribute(&can, cudaDevAttrCanUseHostPointerForRegisteredMem, device));
    one_address_ = can != 0;
  }

  void* allocate(std::size_t bytes, stream_ref stream) override {
    if (locks_pages(bytes)) return allocate_pages(bytes, stream);
    void* pointer = nullptr;
    if (auto const status = cudaHostAlloc(&pointer, bytes, cudaHostAllocPortable | cudaHostAllocMapped);
        status != cudaSuccess)
      fail_to_lock(status, bytes, "cudaHostAlloc", __LINE__);
    return pointer;
  }

  // If this fails, the context is gone. The error is cleared, or the next launch would report it.
  void deallocate(void* pointer, std::size_t bytes, stream_ref stream) noexcept override {
    if (cudaStreamSynchronize(stream.get()) != cudaSuccess) cudaGetLastError();
    if (!locks_pages(bytes)) {
      if (cudaFreeHost(pointer) != cudaSuccess) cudaGetLastError();
      return;
    }
    unlock_pages(pointer);
    host_memory().deallocate(pointer, bytes, stream);
  }

  backend_kind backend() const noexcept override { return backend_kind::cpu; }

 private:
  bool locks_pages(std::size_t bytes) const noexcept {
    return one_address_ && bytes >= cuda::tuning::locked_pages_from;
  }

  static void* allocate_pages(std::size_t bytes, stream_ref stream) {
    void* const pointer = host_memory().allocate(bytes, stream);
    auto const page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
    parallel_chunks(0, bytes, cuda::tuning::pages_a_thread, [&](std::uint64_t begin, std::uint64_t end) {
      for (std::uint64_t at = begin; at < end; at += page) static_cast<char volatile*>(pointer)[at] = 0;
    });
    if (auto const status = cudaHostRegister(pointer, bytes, cudaHostRegisterPortable | cudaHostRegisterMapped);
        status != cudaSuccess) {
      host_memory().deallocate(pointer, bytes, stream);
      fail_to_lock(status, bytes, "cudaHostRegister", __LINE__);
    }
    return pointer;
  }

  bool one_address_ = false;  ///< whether devices reach memory that was locked later under the host's addresses
};

}  // namespace

memory_resource& pinned_memory() {
  int const device = current_device();
  static memory_resource& resource = *new pinned_host(device);  // never destroyed: static indexes free into it
  return resource;
}

void lock_pages(void const* memory, std::size_t bytes) {
  int can_read = 0;
  WDX_CUDA_TRY(cudaDeviceGetAttribute(&can_read, cudaDevAttrHostRegisterReadOnlySupported, current_device()));
  if (can_read == 0)
    throw device_error("the current device cannot read locked pages of read-only memory; copy it to pinned_memory()");
  if (bytes == 0) return;
  constexpr unsigned how = cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterReadOnly;
  if (auto const status = cudaHostRegister(const_cast<void*>(memory), bytes, how); status != cudaSuccess)
    fail_to_lock(status, bytes, "cudaHostRegister", __LINE__);
}

void unlock_pages(void const* memory) noexcept {
  if (cudaHostUnregister(const_cast<void*>(memory)) != cudaSuccess) cudaGetLastError();
}

}  // namespace warpdex
