// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/backends.hpp"

#if defined(WARPDEX_WITH_CUDA)
#include <cuda_runtime_api.h>
#endif

namespace warpdex::test {

#if defined(WARPDEX_WITH_CUDA)

test_stream::test_stream(backend_kind backend) {
  if (backend == backend_kind::cpu) return;
  cudaStream_t stream = nullptr;
  if (cudaError_t const status = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking); status != cudaSuccess) {
    throw device_error(std::string("cudaStreamCreateWithFlags: ") + cudaGetErrorString(status));
  }
  stream_ = stream_ref(stream);
}

test_stream::~test_stream() {
  if (stream_.get() == nullptr) return;
  cudaStreamSynchronize(stream_.get());
  cudaStreamDestroy(stream_.get());
}

#else

test_stream::test_stream(backend_kind) {}
test_stream::~test_stream() = default;

#endif

}  // namespace warpdex::test
