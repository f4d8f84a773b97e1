// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/device_pool.hpp"

#include <warpdex/current_device.hpp>
#include <warpdex/error.hpp>
#include <warpdex/memory.hpp>

#include <cstdint>
#include <limits>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "backend/backend.hpp"
#include "backend/cuda/check.hpp"
#include "backend/several_devices.hpp"

namespace warpdex {
namespace {

/// A stream-ordered pool of one device. It keeps freed memory for the next call, which makes scratch cheap. The library
/// has its own pool, because the application decides how much memory the default pool keeps.
class device_pool final : public memory_resource {
 public:
  explicit device_pool(int device) : device_(device), pool_(make_pool(device)) {}

  void* allocate(std::size_t bytes, stream_ref stream) override {
    void* pointer = nullptr;
    if (cudaError_t const status = cudaMallocFromPoolAsync(&pointer, bytes, pool_, stream.get());
        status != cudaSuccess) {
      cudaGetLastError();
      if (status == cudaErrorMemoryAllocation)
        throw out_of_memory("device memory: cannot allocate " + std::to_string(bytes) + " bytes");
      cuda::fail(status, "cudaMallocFromPoolAsync", __FILE__, __LINE__);
    }
    return pointer;
  }

  // If this fails, the context is gone, and the memory with it. The error is cleared, or the next launch would report
  // it.
  void deallocate(void* pointer, std::size_t, stream_ref stream) noexcept override {
    int current = device_;
    if (stream.get() == nullptr && cudaGetDevice(&current) != cudaSuccess) cudaGetLastError();
    if (current != device_) cudaSetDevice(device_);  // the default stream is that of the current device
    if (cudaFreeAsync(pointer, stream.get()) != cudaSuccess) cudaGetLastError();
    if (current != device_) cudaSetDevice(current);
  }

  backend_kind backend() const noexcept override { return backend_kind::cuda; }

  cudaMemPool_t handle() const noexcept { return pool_; }

 private:
  static cudaMemPool_t make_pool(int device) {
    cudaMemPoolProps properties = {};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = device;
    cudaMemPool_t pool = nullptr;
    WDX_CUDA_TRY(cudaMemPoolCreate(&pool, &properties));
    std::uint64_t keep = std::numeric_limits<std::uint64_t>::max();
    if (cudaError_t const status = cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep);
        status != cudaSuccess) {
      cudaMemPoolDestroy(pool);
      cuda::fail(status, "cudaMemPoolSetAttribute", __FILE__, __LINE__);
    }
    return pool;
  }

  int const device_;
  cudaMemPool_t const pool_;  ///< never destroyed, because static indexes free into it
};

device_pool& current_pool() {
  int const device = current_device();
  static std::mutex guard;
  static auto* const pools = new std::map<int, device_pool>;  // outlives static indexes that free into it
  std::lock_guard const lock(guard);
  return pools->try_emplace(device, device).first->second;
}

}  // namespace

memory_resource& device_memory() { return current_pool(); }

bool connect_devices(int reader, int owner) {
  static std::mutex guard;
  static auto* const connected = new std::set<std::pair<int, int>>;
  std::lock_guard const lock(guard);
  if (connected->contains({reader, owner})) return true;
  int can = 0;
  WDX_CUDA_TRY(cudaDeviceCanAccessPeer(&can, reader, owner));
  if (can == 0) return false;
  device_scope const here(owner);
  cudaMemAccessDesc access = {};
  access.location.type = cudaMemLocationTypeDevice;
  access.location.id = reader;
  access.flags = cudaMemAccessFlagsProtReadWrite;
  WDX_CUDA_TRY(cudaMemPoolSetAccess(cuda::pool_of_current_device(), &access, 1));
  device_scope const scope(reader);  // for arrays that are not from a pool
  cudaError_t const status = cudaDeviceEnablePeerAccess(owner, 0);
  if (status == cudaErrorPeerAccessAlreadyEnabled) cudaGetLastError();
  else WDX_CUDA_TRY(status);
  connected->insert({reader, owner});
  return true;
}

std::uint64_t free_device_memory() {
  std::size_t free = 0, all = 0;
  WDX_CUDA_TRY(cudaMemGetInfo(&free, &all));
  std::uint64_t reserved = 0, used = 0;  // what the pool keeps for the next call is free too
  cudaMemPool_t const pool = cuda::pool_of_current_device();
  WDX_CUDA_TRY(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
  WDX_CUDA_TRY(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &used));
  return free + (reserved - used);
}

cudaMemPool_t cuda::pool_of_current_device() { return current_pool().handle(); }

}  // namespace warpdex
