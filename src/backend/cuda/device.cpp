// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include <warpdex/current_device.hpp>
#include <warpdex/device.hpp>
#include <warpdex/error.hpp>

#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "backend/backend.hpp"
#include "backend/cuda/check.hpp"
#include "backend/cuda/device_limits.hpp"

namespace warpdex {
namespace cuda {
namespace {

/// @return what a message adds if the library has no code for the current device
std::string served_devices() {
  std::string text = "; this library has code for the architectures " WARPDEX_CUDA_CODE;
  int device = 0;
  cudaDeviceProp properties;
  if (cudaGetDevice(&device) == cudaSuccess && cudaGetDeviceProperties(&properties, device) == cudaSuccess)
    text += ", and " + std::string(properties.name) + " is of " + std::to_string(properties.major) +
            std::to_string(properties.minor);
  cudaGetLastError();
  return text + "; build with -D CMAKE_CUDA_ARCHITECTURES=native, or use the CPU";
}

}  // namespace

void fail(cudaError_t status, char const* what, char const* file, int line) {
  int device = -1;
  std::string const suffix = cudaGetDevice(&device) == cudaSuccess ? " on device " + std::to_string(device) : "";
  cudaGetLastError();
  std::string_view from = file;  // from src/ on, for the folder of the build says nothing
  if (auto const sources = from.rfind("src/"); sources != std::string_view::npos) from.remove_prefix(sources);
  std::string text = std::string(what) + " failed at " + std::string(from) + ":" + std::to_string(line) + suffix +
                     ": " + cudaGetErrorName(status) + " (" + cudaGetErrorString(status) + ")";
  if (status == cudaErrorNoKernelImageForDevice || status == cudaErrorUnsupportedPtxVersion) text += served_devices();
  if (status == cudaErrorMemoryAllocation) throw out_of_memory(text);
  throw device_error(text);
}

namespace {

/// As soon as a process uses Vulkan on a device, the driver keeps 1 KiB of the shared memory that a block may opt in
/// to. The attributes do not tell, and callers may use Vulkan too (seen on an H200 with a driver for CUDA 13.0).
constexpr unsigned shared_bytes_of_vulkan = 1024;

}  // namespace

device_limits const& limits_of_current_device() {
  int device = 0;
  WDX_CUDA_TRY(cudaGetDevice(&device));
  static std::mutex guard;
  static auto* const known = new std::map<int, device_limits>;  // never destroyed: statics may call while they end
  std::lock_guard const lock(guard);
  auto const found = known->find(device);
  if (found != known->end()) return found->second;
  device_limits limits;
  cudaDeviceProp properties;
  WDX_CUDA_TRY(cudaGetDeviceProperties(&properties, device));
  limits.name = properties.name;
  WDX_CUDA_TRY(cudaDeviceGetAttribute(&limits.multiprocessors, cudaDevAttrMultiProcessorCount, device));
  int bytes = 0;
  WDX_CUDA_TRY(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
  limits.shared_bytes_per_block = static_cast<unsigned>(bytes) - shared_bytes_of_vulkan;
  WDX_CUDA_TRY(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerMultiprocessor, device));
  limits.shared_bytes = static_cast<unsigned>(bytes);
  return known->emplace(device, limits).first->second;
}

tuning_table const& tuning_of_current_device() { return table_for(limits_of_current_device().name); }

}  // namespace cuda

std::vector<device_info> devices() {
  std::vector<device_info> found;
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess) {
    cudaGetLastError();
    return found;
  }
  for (int device = 0; device < count; ++device) {
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, device) != cudaSuccess) {
      cudaGetLastError();
      continue;
    }
    found.push_back({device, properties.name, std::to_string(properties.major) + "." + std::to_string(properties.minor),
                     properties.multiProcessorCount, properties.totalGlobalMem,
                     static_cast<std::uint64_t>(properties.l2CacheSize)});
  }
  return found;
}

bool built_with_cuda() noexcept { return true; }

std::optional<int> device_of(void const* pointer) {
  location const at = locate(pointer);
  return at.on_device ? std::optional(at.device) : std::nullopt;
}

void synchronize_device() { WDX_CUDA_TRY(cudaDeviceSynchronize()); }

}  // namespace warpdex
