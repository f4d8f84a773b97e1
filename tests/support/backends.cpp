// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "support/backends.hpp"

#if defined(WARPDEX_WITH_CUDA)
#include <cuda_runtime_api.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <sstream>

namespace warpdex::test {
namespace {

/// The names in WARPDEX_TEST_BACKENDS; none if it is not set.
std::vector<std::string> named_backends() {
  std::vector<std::string> names;
  if (char const* const text = std::getenv("WARPDEX_TEST_BACKENDS")) {
    std::istringstream list(text);
    for (std::string name; std::getline(list, name, ',');) names.push_back(name);
  }
  return names;
}

/// Fails a program before its tests if a named backend is missing.
class named_backends_are_there : public testing::Environment {
 public:
  void SetUp() override {
    for (std::string const& name : named_backends()) {
      ASSERT_TRUE(name == "cpu" || name == "cuda")
          << "WARPDEX_TEST_BACKENDS names '" << name << "'; known are cpu, cuda";
      ASSERT_FALSE(name == "cuda" && devices().empty()) << "WARPDEX_TEST_BACKENDS names cuda, but there is no device";
    }
  }
};

[[maybe_unused]] testing::Environment* const checked = testing::AddGlobalTestEnvironment(new named_backends_are_there);

}  // namespace

std::vector<backend_kind> present_backends() {
  auto const names = named_backends();
  std::vector<backend_kind> result;
  for (backend_kind const backend : {backend_kind::cpu, backend_kind::cuda}) {
    if (backend == backend_kind::cuda && devices().empty()) continue;
    if (names.empty() || std::find(names.begin(), names.end(), name_of(backend)) != names.end())
      result.push_back(backend);
  }
  return result;
}

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
