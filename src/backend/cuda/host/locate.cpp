// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/backend.hpp"
#include "backend/cuda/check.hpp"

namespace warpdex {
namespace {

/// @return whether the query of a pointer failed because the pointer cannot lead to device memory: CUDA does not know
/// the pointer, or no context could be made for the process
bool says_no_device_memory(cudaError_t status) {
  return status == cudaErrorInvalidValue || status == cudaErrorMemoryAllocation ||
         status == cudaErrorDevicesUnavailable;
}

/// @return whether the current device reads all memory of the host, as over NVLink-C2C
bool reads_pageable_memory() {
  int device = 0, reads = 0;
  WDX_CUDA_TRY(cudaGetDevice(&device));
  WDX_CUDA_TRY(cudaDeviceGetAttribute(&reads, cudaDevAttrPageableMemoryAccess, device));
  return reads != 0;
}

}  // namespace

location locate(void const* pointer) {
  if (pointer == nullptr) return {};
  cudaPointerAttributes attributes;
  cudaError_t const status = cudaPointerGetAttributes(&attributes, pointer);
  if (status != cudaSuccess) {
    int device = 0;
    if (!says_no_device_memory(status) && cudaGetDevice(&device) == cudaSuccess)
      cuda::fail(status, "cudaPointerGetAttributes", __FILE__, __LINE__);
    cudaGetLastError();
    return {};
  }
  if (attributes.type == cudaMemoryTypeUnregistered && reads_pageable_memory()) return {false, -1, pointer};
  bool const on_device = attributes.type == cudaMemoryTypeDevice || attributes.type == cudaMemoryTypeManaged;
  bool const is_locked = attributes.type == cudaMemoryTypeHost;
  return {on_device, on_device ? attributes.device : -1, is_locked ? attributes.devicePointer : nullptr};
}

}  // namespace warpdex
