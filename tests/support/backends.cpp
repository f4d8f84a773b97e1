// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/backends.hpp"

#if defined(WARPDEX_WITH_CUDA)
#include <cuda_runtime_api.h>
#endif

namespace warpdex::test {

#if defined(WARPDEX_WITH_CUDA)

namespace {

void expect_success(cudaError_t status, char const* call) {
  if (status != cudaSuccess) throw device_error(std::string(call) + ": " + cudaGetErrorString(status));
}

}  // namespace

test_stream::test_stream(backend_kind backend) {
  if (backend == backend_kind::cpu) return;
  cudaStream_t stream = nullptr;
  expect_success(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  stream_ = stream_ref(stream);
}

test_stream::~test_stream() {
  if (stream_.get() == nullptr) return;
  cudaStreamSynchronize(stream_.get());
  cudaStreamDestroy(stream_.get());
}

current_device::current_device(int ordinal) {
  expect_success(cudaGetDevice(&before_), "cudaGetDevice");
  expect_success(cudaSetDevice(ordinal), "cudaSetDevice");
}

current_device::~current_device() { cudaSetDevice(before_); }

pinned_memory::pinned_memory(std::size_t bytes) { expect_success(cudaMallocHost(&data_, bytes), "cudaMallocHost"); }
pinned_memory::~pinned_memory() { cudaFreeHost(data_); }

#else

current_device::current_device(int) { throw unsupported("the tests were built without CUDA"); }
current_device::~current_device() = default;

pinned_memory::pinned_memory(std::size_t) { throw unsupported("the tests were built without CUDA"); }
pinned_memory::~pinned_memory() = default;

test_stream::test_stream(backend_kind) {}
test_stream::~test_stream() = default;

#endif

}  // namespace warpdex::test
