// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
//
// What the top of a structure in shared memory gains: in that of each block, and spread over a thread block cluster.
// Two searches of u32 keys, 2^27 probes that hit: binary search with its first steps as a heap (AO+BS), and a radix
// tree of a root, one level by 16 bits and one by 24 bits, then a scan of the leaf (GRT of even keys). All answers are
// compared with those without shared memory.
//
//   nvcc -O3 -std=c++20 -arch=native scripts/shared-top.cu -o shared-top && ./shared-top
#include <cooperative_groups.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

namespace groups = cooperative_groups;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
constexpr u64 probes = u64{1} << 27;
constexpr u32 missing = ~u32{0};

void check(cudaError_t status) {
  if (status == cudaSuccess) return;
  std::fprintf(stderr, "%s\n", cudaGetErrorString(status));
  std::exit(1);
}

__host__ __device__ u64 mix(u64 x) {
  x = (x ^ x >> 33) * 0xff51afd7ed558ccd;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53;
  return x ^ x >> 33;
}

struct make_key {
  __device__ u32 operator()(u64 i) const { return static_cast<u32>(mix(i + 99)); }
};
struct make_probe {
  u32 const* keys;
  u64 size;
  __device__ u32 operator()(u64 i) const { return keys[mix(7 * i + 1) % size]; }
};

enum class top { nowhere, block, cluster };

struct sorted_keys {
  u32 const* keys;
  u32 const* rows;
  u64 size;
  int steps;  ///< of a binary search
};

/// @tparam Blocks of a cluster
template <top Where, int Blocks>
__global__ void __launch_bounds__(1024) binary_search(sorted_keys in, int pinned, u32 const* probe, u32* out) {
  extern __shared__ u32 heap[];  // element h is in block h % Blocks
  auto const key_of = [&](u32 h) {
    int const level = 31 - __clz(static_cast<int>(h));
    u64 const back = (2 * u64{h - (1u << level)} + 1) << (in.steps - 1 - level);
    return back <= in.size ? in.keys[in.size - back] : 0;
  };
  if constexpr (Where != top::nowhere) {
    u32 const rank = Where == top::cluster ? groups::this_cluster().block_rank() : 0;
    for (u32 i = threadIdx.x; i < (1u << pinned) / Blocks; i += blockDim.x)
      if (u32 const h = i * Blocks + rank; h != 0) heap[i] = key_of(h);
    if constexpr (Where == top::cluster) groups::this_cluster().sync();
    else __syncthreads();
  }
  for (u64 i = u64{blockIdx.x} * blockDim.x + threadIdx.x; i < probes; i += u64{gridDim.x} * blockDim.x) {
    u32 const target = probe[i];
    u64 at = in.size;
    int level = 0;
    if constexpr (Where != top::nowhere)
      for (u32 h = 1; level < pinned; ++level) {
        u64 const step = u64{1} << (in.steps - 1 - level);
        u32 const key =
            Where == top::block ? heap[h] : *groups::this_cluster().map_shared_rank(heap + h / Blocks, h % Blocks);
        bool const back = step <= at && key >= target;
        if (back) at -= step;
        h = 2 * h + (back ? 1 : 0);
      }
    for (; level < in.steps; ++level) {
      u64 const step = u64{1} << (in.steps - 1 - level);
      if (step <= at && in.keys[at - step] >= target) at -= step;
    }
    out[i] = at < in.size && in.keys[at] == target ? in.rows[at] : missing;
  }
  if constexpr (Where == top::cluster) groups::this_cluster().sync();  // other blocks may read this one's memory
}

struct radix_levels {
  u32 const* root;             ///< rank of the first key of each byte
  u32 const* middle;           ///< the same by two bytes, within that of the first
  std::uint16_t const* lower;  ///< the same by three bytes, within that of two
};

template <top Where, int Blocks>
__global__ void __launch_bounds__(512) radix_search(sorted_keys in, radix_levels tree, u32 const* probe, u32* out) {
  extern __shared__ u32 pinned[];  // the root, then this block's share of the middle level
  constexpr u32 share = 65536 / Blocks;
  u32* const middle = pinned + 256;
  if constexpr (Where != top::nowhere)
    for (u32 i = threadIdx.x; i < 256; i += blockDim.x) pinned[i] = tree.root[i];
  if constexpr (Where == top::block) __syncthreads();
  if constexpr (Where == top::cluster) {
    u32 const rank = groups::this_cluster().block_rank();
    for (u32 i = threadIdx.x; i < share; i += blockDim.x) middle[i] = tree.middle[rank * share + i];
    groups::this_cluster().sync();
  }
  for (u64 i = u64{blockIdx.x} * blockDim.x + threadIdx.x; i < probes; i += u64{gridDim.x} * blockDim.x) {
    u32 const target = probe[i];
    u32 at = Where == top::nowhere ? tree.root[target >> 24] : pinned[target >> 24];
    u32 const two = target >> 16;
    if constexpr (Where == top::cluster) at += groups::this_cluster().map_shared_rank(middle, two / share)[two % share];
    else at += tree.middle[two];
    at += tree.lower[target >> 8];
    while (in.keys[at] < target) ++at;  // probes hit
    out[i] = in.rows[at];
  }
  if constexpr (Where == top::cluster) groups::this_cluster().sync();
}

/// @return G probes/s, the best of six launches
template <class Kernel, class... Arguments>
double rate(Kernel kernel, int blocks, int threads, std::size_t shared, unsigned cluster, Arguments... arguments) {
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shared)));
  cudaLaunchAttribute of_cluster{};
  of_cluster.id = cudaLaunchAttributeClusterDimension;
  of_cluster.val.clusterDim = {cluster, 1, 1};
  cudaLaunchConfig_t config{};
  config.gridDim = static_cast<unsigned>(blocks) / cluster * cluster;
  config.blockDim = static_cast<unsigned>(threads);
  config.dynamicSmemBytes = shared;
  config.attrs = &of_cluster;
  config.numAttrs = 1;
  cudaEvent_t begin, end;
  check(cudaEventCreate(&begin));
  check(cudaEventCreate(&end));
  float best = 1e9;
  for (int run = 0; run < 6; ++run) {
    check(cudaEventRecord(begin));
    check(cudaLaunchKernelEx(&config, kernel, arguments...));
    check(cudaEventRecord(end));
    check(cudaEventSynchronize(end));
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin, end));
    best = std::min(best, ms);
  }
  return probes / 1e6 / best;
}

template <class T> T const* at(thrust::device_vector<T> const& v) { return thrust::raw_pointer_cast(v.data()); }

struct bench {
  thrust::device_vector<u32> keys, rows, probe = thrust::device_vector<u32>(probes);
  thrust::device_vector<u32> found = thrust::device_vector<u32>(probes), expected;
  int processors = 0;

  u32* out() { return thrust::raw_pointer_cast(found.data()); }

  void print(char const* what, double rate) {
    if (expected.empty()) expected = found;
    std::printf("  %-40s %6.2f G/s%s\n", what, rate, found == expected ? "" : ", WRONG");
  }

  void run(int bits) {
    keys.resize(u64{1} << bits);
    rows.resize(keys.size());
    thrust::counting_iterator<u64> const numbers(0);
    thrust::transform(numbers, numbers + static_cast<std::int64_t>(keys.size()), keys.begin(), make_key{});
    thrust::sort(keys.begin(), keys.end());
    keys.erase(thrust::unique(keys.begin(), keys.end()), keys.end());
    thrust::sequence(rows.begin(), rows.end());
    thrust::transform(numbers, numbers + static_cast<std::int64_t>(probes), probe.begin(),
                      make_probe{at(keys), keys.size()});
    expected.clear();
    sorted_keys in{at(keys), at(rows), keys.size(), 0};
    while (in.size >> in.steps != 0) ++in.steps;
    std::printf("2^%d keys\n", bits);
    run_binary(in);
    if (bits >= 24) run_radix(in);
  }

  void run_binary(sorted_keys const& in) {
    auto const bytes = [](int steps) { return std::size_t{4} << steps; };
    print("AO+BS, nothing shared",
          rate(binary_search<top::nowhere, 1>, 2 * processors, 1024, 0, 1, in, 0, at(probe), out()));
    int const in_block = std::min(15, in.steps), in_four = std::min(16, in.steps), in_eight = std::min(18, in.steps);
    print("AO+BS, 15 steps per block",
          rate(binary_search<top::block, 1>, processors, 1024, bytes(in_block), 1, in, in_block, at(probe), out()));
    print("AO+BS, 16 steps per cluster of 4",
          rate(binary_search<top::cluster, 4>, processors, 1024, bytes(in_four) / 4, 4, in, in_four, at(probe), out()));
    print("AO+BS, 18 steps per cluster of 8", rate(binary_search<top::cluster, 8>, processors, 1024,
                                                   bytes(in_eight) / 8, 8, in, in_eight, at(probe), out()));
  }

  void run_radix(sorted_keys const& in) {
    thrust::host_vector<u32> const sorted = keys;
    thrust::host_vector<u32> root(256), middle(65536);
    thrust::host_vector<std::uint16_t> lower(std::size_t{1} << 24);
    u32 rank = 0;
    for (u32 i = 0; i < lower.size(); ++i) {
      while (rank < sorted.size() && sorted[rank] >> 8 < i) ++rank;
      if (i % 65536 == 0) root[i / 65536] = rank;
      if (i % 256 == 0) middle[i / 256] = rank - root[i / 65536];
      lower[i] = static_cast<std::uint16_t>(rank - root[i / 65536] - middle[i / 256]);
    }
    thrust::device_vector<u32> const root_there = root, middle_there = middle;
    thrust::device_vector<std::uint16_t> const lower_there = lower;
    radix_levels const tree{at(root_there), at(middle_there), at(lower_there)};
    print("radix tree, nothing shared",
          rate(radix_search<top::nowhere, 1>, 4 * processors, 256, 0, 1, in, tree, at(probe), out()));
    print("radix tree, root per block",
          rate(radix_search<top::block, 1>, 4 * processors, 256, 1024, 1, in, tree, at(probe), out()));
    auto const bytes = [](int blocks) {
      return std::size_t{1024} + std::size_t{4} * 65536 / static_cast<unsigned>(blocks);
    };
    print("radix tree, two levels per cluster of 2",
          rate(radix_search<top::cluster, 2>, processors, 512, bytes(2), 2, in, tree, at(probe), out()));
    print("radix tree, two levels per cluster of 4",
          rate(radix_search<top::cluster, 4>, 2 * processors, 512, bytes(4), 4, in, tree, at(probe), out()));
    print("radix tree, two levels per cluster of 8",
          rate(radix_search<top::cluster, 8>, 4 * processors, 512, bytes(8), 8, in, tree, at(probe), out()));
  }
};

}  // namespace

int main() {
  cudaDeviceProp device;
  check(cudaGetDeviceProperties(&device, 0));
  std::printf("%s\n", device.name);
  bench b;
  b.processors = device.multiProcessorCount;
  for (int const bits : {16, 20, 24, 26, 28}) b.run(bits);
}
