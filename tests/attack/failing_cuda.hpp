// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

/// @file
/// The CUDA runtime of the program that failing_cuda.cpp is linked into, with `--wrap` for the functions there: any
/// call that the library makes, or CUB for it, can be made to fail. Releases never fail.
namespace warpdex::test::failing_cuda {

enum class calls : std::uint8_t {
  any,            ///< that fail with cudaErrorUnknown, launches with cudaErrorLaunchFailure
  allocations,    ///< that fail with cudaErrorMemoryAllocation
  kernel_queries  ///< for which a kernel must be loaded; the same
};

/// Lets the `nth` of such calls of this thread from now on fail, counted from 1; 0 stands for none. It is not made.
void fail_at(calls which, std::uint64_t nth);

struct outcome {
  std::uint64_t calls;  ///< that were made, as far as they count
  char const* failed;   ///< the name of the one that failed, or null
};

/// No call fails from now on. @return what came of `fail_at`
outcome relax();

}  // namespace warpdex::test::failing_cuda
