// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

namespace warpdex::cuda {

/// The pool that `device_memory` takes the memory of the current device from, for whoever asks how full it is.
/// @throws as `device_memory`
cudaMemPool_t pool_of_current_device();

}  // namespace warpdex::cuda
