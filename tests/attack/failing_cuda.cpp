// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "attack/failing_cuda.hpp"

#include <cuda_runtime_api.h>

#include <atomic>
#include <string_view>
#include <utility>

extern "C" cudaError_t __real_cudaGetDevice(int* device);

namespace warpdex::test::failing_cuda {
namespace {

struct thread_state {
  calls which = calls::any;
  std::uint64_t nth = 0;
  outcome result = {0, nullptr};
  cudaError_t last_error = cudaSuccess;
};

thread_local thread_state state;

bool counts(std::string_view name) {
  switch (state.which) {
    case calls::allocations: return name.starts_with("cudaMalloc");
    case calls::kernel_queries: return name == "cudaFuncGetAttributes";
    default: return true;
  }
}

struct device_state {
  std::atomic<int> device = -1;
  std::atomic<std::uint64_t> nth = 0;
  std::atomic<std::uint64_t> calls = 0;
};

device_state of_device;

bool fails_with_device(std::string_view name) {
  int const failing = of_device.device;
  int current = -1;
  if (failing < 0 || name.find("Device") != name.npos || __real_cudaGetDevice(&current) != cudaSuccess) return false;
  return current == failing && ++of_device.calls >= of_device.nth && of_device.nth != 0;
}

/// @return the error of the call with this name, if it is its turn to fail
cudaError_t status_of(char const* name) {
  if (fails_with_device(name)) return state.last_error = cudaErrorLaunchFailure;
  if (!counts(name) || ++state.result.calls != state.nth) return cudaSuccess;
  state.result.failed = name;
  if (state.which != calls::any) return state.last_error = cudaErrorMemoryAllocation;
  bool const launches = std::string_view(name).find("Launch") != std::string_view::npos;
  return state.last_error = launches ? cudaErrorLaunchFailure : cudaErrorUnknown;
}

}  // namespace

void fail_at(calls which, std::uint64_t nth) { state = {which, nth, {0, nullptr}, state.last_error}; }

outcome relax() {
  state.nth = 0;
  return state.result;
}

void fail_device(int device, std::uint64_t nth) {
  of_device.nth = nth;
  of_device.calls = 0;
  of_device.device = device;
}

std::uint64_t relax_device() {
  of_device.device = -1;
  return of_device.calls;
}

namespace {

/// The error of the failed call, as the runtime would remember it; otherwise the runtime's own.
cudaError_t last_error(cudaError_t left, cudaError_t (*real)()) {
  cudaError_t const injected = std::exchange(state.last_error, left);
  return injected != cudaSuccess ? injected : real();
}

}  // namespace
}  // namespace warpdex::test::failing_cuda

namespace failing = warpdex::test::failing_cuda;

// The linker leads calls of `name` to `__wrap_name`, and those of `__real_name` to it.
#define WDX_WRAP(name, parameters, arguments) WDX_WRAP_EXPANDED(name, parameters, arguments)
#define WDX_WRAP_EXPANDED(name, parameters, arguments)                   \
  cudaError_t __real_##name parameters;                                  \
  cudaError_t __wrap_##name parameters {                                 \
    cudaError_t const injected = failing::status_of(#name);              \
    return injected != cudaSuccess ? injected : __real_##name arguments; \
  }

extern "C" {

cudaError_t __real_cudaGetLastError();
cudaError_t __real_cudaPeekAtLastError();
cudaError_t __wrap_cudaGetLastError() { return failing::last_error(cudaSuccess, __real_cudaGetLastError); }
cudaError_t __wrap_cudaPeekAtLastError() {
  return failing::last_error(failing::state.last_error, __real_cudaPeekAtLastError);
}

// Compilers before CUDA 13 do not call it.
__attribute__((weak)) cudaError_t __real___cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** values,
                                                            size_t shared_bytes, cudaStream_t stream);

WDX_WRAP(__cudaLaunchKernel,
         (cudaKernel_t kernel, dim3 grid, dim3 block, void** values, size_t shared_bytes, cudaStream_t stream),
         (kernel, grid, block, values, shared_bytes, stream))
WDX_WRAP(cudaLaunchKernel,
         (void const* function, dim3 grid, dim3 block, void** values, size_t shared_bytes, cudaStream_t stream),
         (function, grid, block, values, shared_bytes, stream))
WDX_WRAP(cudaLaunchKernelExC, (cudaLaunchConfig_t const* config, void const* function, void** values),
         (config, function, values))

WDX_WRAP(cudaDeviceSynchronize, (), ())
WDX_WRAP(cudaGetDevice, (int* device), (device))
WDX_WRAP(cudaSetDevice, (int device), (device))
WDX_WRAP(cudaGetDeviceCount, (int* count), (count))
WDX_WRAP(cudaGetDeviceProperties, (cudaDeviceProp * properties, int device), (properties, device))
WDX_WRAP(cudaDeviceGetAttribute, (int* value, cudaDeviceAttr attribute, int device), (value, attribute, device))
WDX_WRAP(cudaMemPoolCreate, (cudaMemPool_t * pool, cudaMemPoolProps const* properties), (pool, properties))
WDX_WRAP(cudaMemPoolSetAttribute, (cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value),
         (pool, attribute, value))
WDX_WRAP(cudaMemPoolGetAttribute, (cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value),
         (pool, attribute, value))
WDX_WRAP(cudaMemPoolSetAccess, (cudaMemPool_t pool, cudaMemAccessDesc const* access, size_t count),
         (pool, access, count))
WDX_WRAP(cudaMemGetInfo, (size_t * free, size_t* all), (free, all))
WDX_WRAP(cudaDeviceCanAccessPeer, (int* can, int device, int peer), (can, device, peer))
WDX_WRAP(cudaDeviceEnablePeerAccess, (int peer, unsigned flags), (peer, flags))
WDX_WRAP(cudaMallocFromPoolAsync, (void** memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream),
         (memory, bytes, pool, stream))
WDX_WRAP(cudaMallocHost, (void** memory, size_t bytes), (memory, bytes))
WDX_WRAP(cudaHostAlloc, (void** memory, size_t bytes, unsigned flags), (memory, bytes, flags))
WDX_WRAP(cudaHostRegister, (void* memory, size_t bytes, unsigned flags), (memory, bytes, flags))
WDX_WRAP(cudaPointerGetAttributes, (cudaPointerAttributes * attributes, void const* pointer), (attributes, pointer))
WDX_WRAP(cudaMemcpyAsync, (void* to, void const* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream),
         (to, from, bytes, kind, stream))
WDX_WRAP(cudaMemsetAsync, (void* memory, int value, size_t bytes, cudaStream_t stream), (memory, value, bytes, stream))
WDX_WRAP(cudaFuncGetAttributes, (cudaFuncAttributes * attributes, void const* function), (attributes, function))
WDX_WRAP(cudaFuncSetAttribute, (void const* function, cudaFuncAttribute attribute, int value),
         (function, attribute, value))
WDX_WRAP(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
         (int* blocks, void const* function, int threads, size_t shared_bytes, unsigned flags),
         (blocks, function, threads, shared_bytes, flags))
WDX_WRAP(cudaStreamCreateWithFlags, (cudaStream_t * stream, unsigned flags), (stream, flags))
WDX_WRAP(cudaStreamIsCapturing, (cudaStream_t stream, cudaStreamCaptureStatus* status), (stream, status))
WDX_WRAP(cudaStreamSynchronize, (cudaStream_t stream), (stream))
WDX_WRAP(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags), (stream, event, flags))
WDX_WRAP(cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned flags), (event, flags))
WDX_WRAP(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
WDX_WRAP(cudaEventQuery, (cudaEvent_t event), (event))
WDX_WRAP(cudaImportExternalMemory, (cudaExternalMemory_t * memory, cudaExternalMemoryHandleDesc const* from),
         (memory, from))
WDX_WRAP(cudaExternalMemoryGetMappedBuffer,
         (void** data, cudaExternalMemory_t memory, cudaExternalMemoryBufferDesc const* part), (data, memory, part))
WDX_WRAP(cudaImportExternalSemaphore,
         (cudaExternalSemaphore_t * semaphore, cudaExternalSemaphoreHandleDesc const* from), (semaphore, from))
WDX_WRAP(cudaSignalExternalSemaphoresAsync,
         (cudaExternalSemaphore_t const* semaphores, cudaExternalSemaphoreSignalParams const* values, unsigned count,
          cudaStream_t stream),
         (semaphores, values, count, stream))
WDX_WRAP(cudaWaitExternalSemaphoresAsync,
         (cudaExternalSemaphore_t const* semaphores, cudaExternalSemaphoreWaitParams const* values, unsigned count,
          cudaStream_t stream),
         (semaphores, values, count, stream))
}
