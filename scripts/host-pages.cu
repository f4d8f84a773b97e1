// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// Random lines of 128 bytes that a GPU reads from page-locked memory, by its size and by the pages of the host; and the
// time to get and lock that memory.
//
//   nvcc -O3 -std=c++20 -arch=native scripts/host-pages.cu -o host-pages && ./host-pages [GiB]
#include <cuda_runtime.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

namespace {

using u32 = std::uint32_t;
using u64 = std::uint64_t;
constexpr u64 reads = u64{1} << 23;
constexpr u64 largest_page = u64{1} << 30;

bool works(cudaError_t status, char const* what) {
  if (status == cudaSuccess) return true;
  std::printf("%s: %s\n", what, cudaGetErrorString(status));
  cudaGetLastError();
  return false;
}

__device__ u64 mix(u64 x) {
  x = (x ^ x >> 33) * 0xff51afd7ed558ccd;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53;
  return x ^ x >> 33;
}

/// A warp reads one line at a time.
__global__ void read_lines(u32 const* memory, u64 lines, u64 seed, u32* out) {
  u64 const warps = u64{gridDim.x} * blockDim.x / 32;
  u32 sum = 0;
  for (u64 i = (u64{blockIdx.x} * blockDim.x + threadIdx.x) / 32; i < reads; i += warps)
    sum += memory[__umul64hi(mix(i + seed), lines) * 32 + threadIdx.x % 32];
  if (sum == 12345) *out = sum;
}

void measure(void* memory, u64 bytes) {
  void* there = nullptr;
  u32* out = nullptr;
  cudaEvent_t begin, end;
  if (!works(cudaHostGetDevicePointer(&there, memory, 0), "cudaHostGetDevicePointer")) return;
  if (!works(cudaMalloc(&out, sizeof(u32)), "cudaMalloc")) return;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  for (u64 size = u64{1} << 28; size <= bytes; size *= 2) {
    float best = 1e9;
    for (u64 run = 0; run < 3; ++run) {
      cudaEventRecord(begin);
      read_lines<<<2048, 256>>>(static_cast<u32 const*>(there), size / 128, size + run * 77777777, out);
      cudaEventRecord(end);
      if (!works(cudaEventSynchronize(end), "read_lines")) return;
      float ms = 0;
      cudaEventElapsedTime(&ms, begin, end);
      best = std::min(best, ms);
    }
    std::printf("  %6.2f GiB %6.1f M lines/s\n", static_cast<double>(size) / (u64{1} << 30), reads / 1e3 / best);
  }
  cudaFree(out);
}

void touch(char* memory, u64 bytes) {
  unsigned const count = std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i)
    threads.emplace_back([=] { std::memset(memory + bytes / count * i, 1, bytes / count); });
  for (auto& t : threads) t.join();
}

class stopwatch {
 public:
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

void measure_registered(char const* name, int flags, bool advised, u64 bytes) {
  stopwatch const clock;
  void* const mapped =
      mmap(nullptr, bytes + largest_page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
  if (mapped == MAP_FAILED) return std::perror(name);
  auto const address = (reinterpret_cast<std::uintptr_t>(mapped) + largest_page - 1) / largest_page * largest_page;
  auto* const memory = reinterpret_cast<char*>(address);
  if (advised && madvise(memory, bytes, MADV_HUGEPAGE) != 0) std::perror("madvise");
  touch(memory, bytes);
  if (works(cudaHostRegister(memory, bytes, cudaHostRegisterPortable | cudaHostRegisterMapped), name)) {
    std::printf("%s, %.1f s to get\n", name, clock.seconds());
    measure(memory, bytes);
    cudaHostUnregister(memory);
  }
  munmap(mapped, bytes + largest_page);
}

}  // namespace

int main(int argc, char** argv) {
  u64 const bytes = static_cast<u64>(argc > 1 ? std::atoll(argv[1]) : 32) << 30;
  cudaDeviceProp device;
  if (!works(cudaGetDeviceProperties(&device, 0), "cudaGetDeviceProperties")) return 1;
  std::printf("%s, reads pageable memory: %d\n", device.name, device.pageableMemoryAccess);
  cudaFree(nullptr);
  {
    stopwatch const clock;
    void* memory = nullptr;
    if (!works(cudaHostAlloc(&memory, bytes, cudaHostAllocPortable | cudaHostAllocMapped), "cudaHostAlloc")) return 1;
    touch(static_cast<char*>(memory), bytes);
    std::printf("cudaHostAlloc, %.1f s to get\n", clock.seconds());
    measure(memory, bytes);
    cudaFreeHost(memory);
  }
  measure_registered("mmap", 0, false, bytes);
  measure_registered("mmap, MADV_HUGEPAGE", 0, true, bytes);
  measure_registered("mmap, MAP_HUGETLB of 2 MiB", MAP_HUGETLB | 21 << MAP_HUGE_SHIFT, false, bytes);
  measure_registered("mmap, MAP_HUGETLB of 1 GiB", MAP_HUGETLB | 30 << MAP_HUGE_SHIFT, false, bytes);
}
