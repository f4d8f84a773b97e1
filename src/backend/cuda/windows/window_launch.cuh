// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "backend/cuda/check.hpp"
#include "backend/cuda/device_limits.hpp"
#include "backend/cuda/loops.cuh"
#include "backend/cuda/tuning.hpp"

/// @file
/// Launches of the kernels of windows.
namespace warpdex::cuda {

/// Static shared memory that a kernel may declare, besides the dynamic shared memory of its launch.
inline constexpr unsigned static_shared_bytes = 2048;

inline std::size_t most_shared_bytes() {
  return limits_of_current_device().shared_bytes_per_block - static_shared_bytes;
}

/// Launches a kernel with dynamic shared memory.
template <class... Parameters, class... Arguments>
void launch_stage(void (*kernel)(Parameters...), std::uint64_t blocks, int threads, std::size_t shared_bytes,
                  execution const& exec, Arguments const&... arguments) {
  // Always ask for the most: the attribute belongs to the kernel, and another thread may launch the same kernel with
  // more shared memory right after this call.
  if (shared_bytes != 0)
    WDX_CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                      static_cast<int>(most_shared_bytes())));
  launch(kernel, static_cast<unsigned>(blocks), threads, shared_bytes, exec, arguments...);
}

/// @return the blocks that take `tiles` tiles one after the other. A window that was answered in tiles pays for each
/// @param resident blocks that a multiprocessor holds at a time
inline std::uint64_t blocks_for_tiles(std::uint64_t tiles, int resident) {
  auto const processors = static_cast<std::uint64_t>(limits_of_current_device().multiprocessors);
  return std::min(tiles, processors * static_cast<unsigned>(resident) * tuning::tile_rounds);
}

}  // namespace warpdex::cuda
