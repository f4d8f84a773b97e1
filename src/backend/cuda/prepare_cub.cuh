// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cub/util_device.cuh>

#include "backend/cuda/check.hpp"

namespace warpdex::cuda {

/// Must be called before any device-wide algorithm of CUB. CUB asks once how its kernels were compiled, and remembers
/// the answer for good, even a failure that only came from missing memory to load a kernel. Once this call succeeds,
/// the kernel is loaded, and the question of CUB succeeds too.
inline void prepare_cub() {
  int version = 0;
  WDX_CUDA_TRY(cub::PtxVersionUncached(version));
}

}  // namespace warpdex::cuda
