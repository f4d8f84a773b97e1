// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

namespace warpdex::cuda {

/// @return the pool from which `device_memory` takes memory of the current device, so that callers can ask how full it
/// is
/// @throws as `device_memory`
cudaMemPool_t pool_of_current_device();

}  // namespace warpdex::cuda
