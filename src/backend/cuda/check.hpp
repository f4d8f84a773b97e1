// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

namespace warpdex::cuda {

/// Throws the exception for a failed call, and clears the error if it is not sticky.
/// @throws out_of_memory, device_error
[[noreturn]] void fail(cudaError_t status, char const* what, char const* file, int line);

}  // namespace warpdex::cuda

/// Checks the result of a CUDA call. After a kernel launch, the call is `cudaGetLastError()`.
#define WDX_CUDA_TRY(call)                                                \
  do {                                                                    \
    if (cudaError_t const wdx_status = (call); wdx_status != cudaSuccess) \
      ::warpdex::cuda::fail(wdx_status, #call, __FILE__, __LINE__);       \
  } while (false)
