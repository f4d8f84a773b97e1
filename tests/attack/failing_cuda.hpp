// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// @file
/// A program that links failing_cuda.cpp, with `--wrap` for the functions there, can make any CUDA call of the library,
/// or of CUB for it, fail. Releases never fail.
namespace warpdex::test::failing_cuda {

enum class calls : std::uint8_t {
  any,            ///< calls fail with cudaErrorUnknown, launches with cudaErrorLaunchFailure
  allocations,    ///< allocations fail with cudaErrorMemoryAllocation
  kernel_queries  ///< calls that load a kernel fail with the same error
};

/// Makes the `nth` such call of this thread from now on fail, counted from 1; 0 for none. The call has no effect.
void fail_at(calls which, std::uint64_t nth);

struct outcome {
  std::uint64_t calls;  ///< number of calls of the chosen kind
  char const* failed;   ///< the name of the one that failed, or null
};

/// No call fails from now on. @return the outcome of `fail_at`
outcome relax();

/// Counts the calls of all threads while a device is the current one. From the `nth` on all of them fail, but for those
/// that choose a device; counted from 1, 0 for none.
void fail_device(int device, std::uint64_t nth);

/// No device fails from now on. @return the number of calls since `fail_device`
std::uint64_t relax_device();

}  // namespace warpdex::test::failing_cuda
