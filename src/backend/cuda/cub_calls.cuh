// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>

#include <cub/util_device.cuh>
#include <limits>

#include "backend/cuda/check.hpp"

namespace warpdex::cuda {

/// Must be called before any device-wide algorithm of CUB. CUB asks once how its kernels were compiled, and remembers
/// the answer for good, even a failure that only came from missing memory to load a kernel. Once this call succeeds,
/// the kernel is loaded, and the question of CUB succeeds too.
inline void prepare_cub() {
  int version = 0;
  WDX_CUDA_TRY(cub::PtxVersionUncached(version));
}

/// Calls an algorithm of CUB twice: for the bytes of its scratch, and with the scratch.
/// @param algorithm called as algorithm(scratch, bytes); returns its status
template <class Algorithm> void with_scratch(execution const& exec, Algorithm const& algorithm) {
  prepare_cub();
  std::size_t bytes = 0;
  WDX_CUDA_TRY(algorithm(nullptr, bytes));
  buffer const scratch(bytes, exec);
  WDX_CUDA_TRY(algorithm(scratch.data(), bytes));
}

/// The same for an algorithm that is faster with numbers of 32 bits.
/// @param algorithm called as algorithm(scratch, bytes, n)
template <class Algorithm> void with_scratch_for(std::uint64_t n, execution const& exec, Algorithm const& algorithm) {
  auto const run = [&](auto size) {
    with_scratch(exec, [&](void* scratch, std::size_t& bytes) { return algorithm(scratch, bytes, size); });
  };
  if (n <= std::numeric_limits<std::uint32_t>::max()) run(static_cast<std::uint32_t>(n));
  else run(n);
}

}  // namespace warpdex::cuda
