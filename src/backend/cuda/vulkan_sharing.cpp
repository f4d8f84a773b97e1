// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime_api.h>

#include <cstring>

#include "backend/cuda/check.hpp"
#include "backend/ray/sharing.hpp"

namespace warpdex {
namespace cuda {
namespace {

class imported_memory final : public shared_memory {
 public:
  imported_memory(file_descriptor from, std::uint64_t bytes, bool dedicated) {
    cudaExternalMemoryHandleDesc what{};
    what.type = cudaExternalMemoryHandleTypeOpaqueFd;
    what.handle.fd = from.get();
    what.size = bytes;
    what.flags = dedicated ? cudaExternalMemoryDedicated : 0;
    WDX_CUDA_TRY(cudaImportExternalMemory(&memory_, &what));
    static_cast<void>(from.release());  // which CUDA has taken over
    cudaExternalMemoryBufferDesc all{};
    all.size = bytes;
    try {
      WDX_CUDA_TRY(cudaExternalMemoryGetMappedBuffer(&data_, memory_, &all));
    } catch (...) {
      static_cast<void>(cudaDestroyExternalMemory(memory_));
      throw;
    }
  }
  ~imported_memory() override {
    static_cast<void>(cudaFree(data_));
    static_cast<void>(cudaDestroyExternalMemory(memory_));
  }
  imported_memory(imported_memory const&) = delete;
  imported_memory& operator=(imported_memory const&) = delete;

  void* data() const noexcept override { return data_; }

 private:
  cudaExternalMemory_t memory_ = nullptr;
  void* data_ = nullptr;
};

class imported_timeline final : public shared_timeline {
 public:
  explicit imported_timeline(file_descriptor from) {
    cudaExternalSemaphoreHandleDesc what{};
    what.type = cudaExternalSemaphoreHandleTypeTimelineSemaphoreFd;
    what.handle.fd = from.get();
    WDX_CUDA_TRY(cudaImportExternalSemaphore(&semaphore_, &what));
    static_cast<void>(from.release());  // as above
  }
  ~imported_timeline() override { static_cast<void>(cudaDestroyExternalSemaphore(semaphore_)); }
  imported_timeline(imported_timeline const&) = delete;
  imported_timeline& operator=(imported_timeline const&) = delete;

  void signal(std::uint64_t value, execution const& exec) override {
    cudaExternalSemaphoreSignalParams to{};
    to.params.fence.value = value;
    WDX_CUDA_TRY(cudaSignalExternalSemaphoresAsync(&semaphore_, &to, 1, exec.stream.get()));
  }
  void wait(std::uint64_t value, execution const& exec) override {
    cudaExternalSemaphoreWaitParams until{};
    until.params.fence.value = value;
    WDX_CUDA_TRY(cudaWaitExternalSemaphoresAsync(&semaphore_, &until, 1, exec.stream.get()));
  }

 private:
  cudaExternalSemaphore_t semaphore_ = nullptr;
};

class cuda_importer final : public sharing {
 public:
  device_uuid device() const override {
    int current = 0;
    WDX_CUDA_TRY(cudaGetDevice(&current));
    cudaDeviceProp properties;
    WDX_CUDA_TRY(cudaGetDeviceProperties(&properties, current));
    device_uuid result;
    static_assert(sizeof(properties.uuid.bytes) == sizeof(result));
    std::memcpy(result.data(), properties.uuid.bytes, sizeof(result));
    return result;
  }
  std::unique_ptr<shared_memory> import_memory(file_descriptor from, std::uint64_t bytes,
                                               bool dedicated) const override {
    return std::make_unique<imported_memory>(std::move(from), bytes, dedicated);
  }
  bool imports_timelines() const override {
    int current = 0;
    int imports = 0;
    WDX_CUDA_TRY(cudaGetDevice(&current));
    WDX_CUDA_TRY(cudaDeviceGetAttribute(&imports, cudaDevAttrTimelineSemaphoreInteropSupported, current));
    return imports != 0;
  }
  std::unique_ptr<shared_timeline> import_timeline(file_descriptor from) const override {
    return std::make_unique<imported_timeline>(std::move(from));
  }
};

}  // namespace
}  // namespace cuda

sharing const& cuda_sharing() {
  static auto const* const importer = new cuda::cuda_importer;
  return *importer;
}

}  // namespace warpdex
