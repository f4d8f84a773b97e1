// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/check.hpp"
#include "support/expect.hpp"

#include <warpdex/error.hpp>

#include <gtest/gtest.h>

#include <string>

namespace warpdex::test {
namespace {

/// A device for which nothing was compiled is told so; other failures are not.
TEST(served_devices, are_named_where_the_code_is_missing) {
  for (cudaError_t const status : {cudaErrorNoKernelImageForDevice, cudaErrorUnsupportedPtxVersion})
    EXPECT_TRUE(throws<device_error>([&] { cuda::fail(status, "cudaGetLastError()", "src/backend/cuda/loops.cuh", 7); },
                                     "src/backend/cuda/loops.cuh:7", cudaGetErrorName(status),
                                     "this library has code for the architectures ", "CMAKE_CUDA_ARCHITECTURES"));
  try {
    cuda::fail(cudaErrorInvalidValue, "cudaMemcpy()", "src/a.cpp", 1);
  } catch (device_error const& e) {
    EXPECT_EQ(std::string(e.what()).find("architectures"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace warpdex::test
