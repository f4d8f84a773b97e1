// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu.hpp"

#include "bench/key_tree.hpp"

#include <warpdex/error.hpp>
#include <warpdex/index.hpp>
#include <warpdex/search/byte_key.hpp>
#include <warpdex/search/radix_tree.hpp>

#include <cuda_runtime.h>
#include <thrust/binary_search.h>
#include <thrust/execution_policy.h>
#include <thrust/sort.h>
#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <string>

namespace warpdex::bench::gpu {
namespace {

void check(cudaError_t status, char const* what) {
  if (status == cudaSuccess) return;
  cudaGetLastError();
  std::string const text = std::string("benchmark: ") + what + ": " + cudaGetErrorString(status);
  if (status == cudaErrorMemoryAllocation) throw out_of_memory(text);
  throw device_error(text);
}

/// Calls run(keys) with a typed pointer.
template <class Run> void with_number(column keys, Run run) {
  switch (size_of(keys.type)) {
    case 4: return run(static_cast<std::uint32_t const*>(keys.data));
    case 8: return run(static_cast<std::uint64_t const*>(keys.data));
    default: return run(static_cast<u128 const*>(keys.data));
  }
}

/// The same, also for references to strings.
template <class Run> void with_type(column keys, Run run) {
  if (keys.type == key_type::bytes) run(static_cast<byte_key const*>(keys.data));
  else with_number(keys, run);
}

/// Thrust reports failures with its own exceptions.
template <class Run> void call_thrust(char const* what, Run run) {
  try {
    run();
  } catch (std::bad_alloc const&) {
    throw out_of_memory(std::string("benchmark: ") + what + ": out of device memory");
  } catch (std::exception const& e) {
    cudaGetLastError();
    throw device_error(std::string("benchmark: ") + what + ": " + e.what());
  }
}

class event_timer final : public timer {
 public:
  explicit event_timer(cudaStream_t stream) : stream_(stream) {
    check(cudaEventCreate(&start_), "cudaEventCreate");
    if (auto const status = cudaEventCreate(&stop_); status != cudaSuccess) {
      cudaEventDestroy(start_);
      check(status, "cudaEventCreate");
    }
  }
  event_timer(event_timer const&) = delete;
  ~event_timer() override {
    cudaEventDestroy(start_);
    cudaEventDestroy(stop_);
  }

  void start() override { check(cudaEventRecord(start_, stream_), "cudaEventRecord"); }

  double stop() override {
    check(cudaEventRecord(stop_, stream_), "cudaEventRecord");
    check(cudaEventSynchronize(stop_), "cudaEventSynchronize");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, start_, stop_), "cudaEventElapsedTime");
    return milliseconds * 1e-3;
  }

 private:
  cudaStream_t stream_;
  cudaEvent_t start_ = nullptr;
  cudaEvent_t stop_ = nullptr;
};

class pinned_resource final : public memory_resource {
 public:
  void* allocate(std::size_t bytes, stream_ref) override {
    void* pointer = nullptr;
    check(cudaMallocHost(&pointer, bytes), "cudaMallocHost");
    return pointer;
  }
  void deallocate(void* pointer, std::size_t, stream_ref) noexcept override { cudaFreeHost(pointer); }
  backend_kind backend() const noexcept override { return backend_kind::cpu; }
};

/// As many bytes as the kernel of a lookup has of arguments.
struct arguments_of_lookup {
  char bytes[200];
};
__global__ void nothing_kernel(arguments_of_lookup) {}

/// One sector per thread and iteration. The reads of a thread do not wait for each other.
__global__ void gather_kernel(uint4 const* __restrict__ data, std::uint64_t sectors, std::uint64_t count,
                              std::uint64_t seed, std::uint32_t* sink) {
  std::uint64_t const stride = std::uint64_t{gridDim.x} * blockDim.x;
  std::uint32_t sum = 0;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    std::uint64_t const sector = __umul64hi(mix(seed + i), sectors);
    uint4 const a = data[2 * sector];
    uint4 const b = data[2 * sector + 1];
    sum += a.x ^ a.y ^ a.z ^ a.w ^ b.x ^ b.y ^ b.z ^ b.w;
  }
  if (sum == 0x9e3779b9) *sink = sum;  // almost never true, but the compiler cannot know that
}

__global__ void compare_kernel(std::uint32_t const* __restrict__ a, std::uint32_t const* __restrict__ b,
                               std::uint64_t count, std::uint32_t* differs) {
  std::uint64_t const stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride)
    if (a[i] != b[i]) *differs = 1;
}

__global__ void grouped_loads_kernel(std::uint32_t const* __restrict__ data, bench::grouped_loads const loads,
                                     std::uint32_t* __restrict__ sums, std::uint64_t threads) {
  std::uint64_t const t = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (t < threads) sums[t] = loads.sum(t, [=](std::uint64_t i) { return data[i]; });
}

/// Reads that follow each other are in flight together, so ascending ones are near each other.
__global__ void line_kernel(std::uint64_t const* __restrict__ lines, line_reads const reads, std::uint64_t* total) {
  constexpr std::uint64_t words = line_reads::line_bytes / sizeof(std::uint64_t);
  std::uint64_t const stride = std::uint64_t{gridDim.x} * blockDim.x;
  std::uint64_t sum = 0;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < reads.reads; i += stride)
    sum += lines[reads.place(i) * words];
  atomicAdd(reinterpret_cast<unsigned long long*>(total), static_cast<unsigned long long>(sum));
}

template <class Offset>
__global__ void reference_kernel(unsigned char const* __restrict__ bytes, Offset const* __restrict__ offsets,
                                 std::uint64_t count, byte_key* __restrict__ out) {
  std::uint64_t const stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
    byte_key key;
    key.data = bytes + offsets[i];
    key.size = static_cast<std::uint32_t>(offsets[i + 1] - offsets[i]);
    out[i] = key;
  }
}

template <class View>
__global__ void singular_kernel(__grid_constant__ View const view, typename View::key_type const* __restrict__ probes,
                                std::uint64_t count, std::uint32_t* __restrict__ rows) {
  std::uint64_t const stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride)
    rows[i] = warpdex::find(view, probes[i]);
}

template <class View>
__global__ void singular_paths_kernel(__grid_constant__ View const view,
                                      typename View::key_type const* __restrict__ probes, std::uint64_t count,
                                      typename View::key_type const* __restrict__ parents,
                                      std::uint32_t* __restrict__ sums) {
  std::uint64_t const stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride)
    sums[i] = sum_of_path(view, probes[i], parents);
}

__global__ void fit_kernel(moved_triangles const triangles, int level, std::uint64_t nodes) {
  std::uint64_t const stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < nodes; i += stride)
    triangles.fit(level, i);
}

__global__ void trace_kernel(moved_triangles const triangles, std::uint32_t const* __restrict__ probes,
                             std::uint64_t count, std::uint32_t* __restrict__ found) {
  std::uint64_t const stride = std::uint64_t{gridDim.x} * blockDim.x;
  std::uint64_t tested = 0;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride)
    found[i] = triangles.trace(probes[i], tested);
}

unsigned blocks_for(std::uint64_t count, unsigned threads) {
  return static_cast<unsigned>(std::min<std::uint64_t>((count + threads - 1) / threads, 1u << 20));
}

}  // namespace

std::unique_ptr<timer> make_timer(execution const& exec) { return std::make_unique<event_timer>(exec.stream.get()); }

std::string version() {
  int runtime = 0, driver = 0;
  cudaRuntimeGetVersion(&runtime);
  cudaDriverGetVersion(&driver);
  auto const text = [](int v) { return std::to_string(v / 1000) + "." + std::to_string(v % 1000 / 10); };
  return text(runtime) + (driver == 0 ? ", no driver" : ", driver " + text(driver));
}

buffer references(column strings, execution const& exec) {
  constexpr unsigned threads = 256;
  buffer out(strings.size * sizeof(byte_key), exec);
  if (strings.size == 0) return out;
  auto const* const bytes = static_cast<unsigned char const*>(strings.data);
  unsigned const blocks = blocks_for(strings.size, threads);
  if (strings.strings.offset_bytes == 4)
    reference_kernel<<<blocks, threads, 0, exec.stream.get()>>>(
        bytes, static_cast<std::uint32_t const*>(strings.strings.offsets), strings.size, out.as<byte_key>());
  else
    reference_kernel<<<blocks, threads, 0, exec.stream.get()>>>(
        bytes, static_cast<std::uint64_t const*>(strings.strings.offsets), strings.size, out.as<byte_key>());
  check(cudaGetLastError(), "reference kernel");
  return out;
}

void lower_bound(column keys, column probes, std::uint32_t* out, execution const& exec) {
  with_type(keys, [&]<class Key>(Key const* first) {
    auto const* wanted = static_cast<Key const*>(probes.data);
    call_thrust("thrust::lower_bound", [&] {
      thrust::lower_bound(thrust::cuda::par_nosync.on(exec.stream.get()), first, first + keys.size, wanted,
                          wanted + probes.size, out);
    });
  });
}

void upper_bound(column keys, column probes, std::uint32_t* out, execution const& exec) {
  with_type(keys, [&]<class Key>(Key const* first) {
    auto const* wanted = static_cast<Key const*>(probes.data);
    call_thrust("thrust::upper_bound", [&] {
      thrust::upper_bound(thrust::cuda::par_nosync.on(exec.stream.get()), first, first + keys.size, wanted,
                          wanted + probes.size, out);
    });
  });
}

void singular(index const& tree, column probes, std::uint32_t* rows, execution const& exec) {
  constexpr unsigned threads = 256;
  with_type(probes, [&]<class Key>(Key const* first) {
    using pairs = std::conditional_t<is_bytes<Key>, byte_pairs<>, soa_pairs<Key>>;
    singular_kernel<<<blocks_for(probes.size, threads), threads, 0, exec.stream.get()>>>(tree.view<radix_tree<pairs>>(),
                                                                                         first, probes.size, rows);
    check(cudaGetLastError(), "singular kernel");
  });
}

void singular_paths(index const& tree, column probes, column parents, std::uint32_t* sums, execution const& exec) {
  constexpr unsigned threads = 256;
  with_number(probes, [&]<class Key>(Key const* first) {
    singular_paths_kernel<<<blocks_for(probes.size, threads), threads, 0, exec.stream.get()>>>(
        tree.view<radix_tree<soa_pairs<Key>>>(), first, probes.size, static_cast<Key const*>(parents.data), sums);
    check(cudaGetLastError(), "singular paths kernel");
  });
}

void gather(void const* data, std::uint64_t bytes, std::uint64_t count, std::uint64_t seed, std::uint32_t* sink,
            execution const& exec) {
  constexpr unsigned threads = 256;
  gather_kernel<<<blocks_for(count, threads), threads, 0, exec.stream.get()>>>(static_cast<uint4 const*>(data),
                                                                               bytes / 32, count, seed, sink);
  check(cudaGetLastError(), "gather kernel");
}

memory_resource& pinned_memory() {
  static pinned_resource resource;
  return resource;
}

void copy_to_device(void* destination, void const* source, std::uint64_t bytes, execution const& exec) {
  check(cudaMemcpyAsync(destination, source, bytes, cudaMemcpyHostToDevice, exec.stream.get()), "cudaMemcpyAsync");
}

struct two_way_copy::streams {
  cudaStream_t back = nullptr;
  cudaEvent_t begun = nullptr;
  cudaEvent_t is_back = nullptr;

  ~streams() {
    if (is_back != nullptr) cudaEventDestroy(is_back);
    if (begun != nullptr) cudaEventDestroy(begun);
    if (back != nullptr) cudaStreamDestroy(back);
  }
};

two_way_copy::two_way_copy() : streams_(std::make_unique<streams>()) {
  check(cudaStreamCreateWithFlags(&streams_->back, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  for (cudaEvent_t* const event : {&streams_->begun, &streams_->is_back})
    check(cudaEventCreateWithFlags(event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
}

two_way_copy::~two_way_copy() = default;

own_stream::own_stream() {
  cudaStream_t stream = nullptr;
  check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
  stream_ = stream;
}

own_stream::~own_stream() { cudaStreamDestroy(stream_.get()); }

void own_stream::wait() const { check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize"); }

void start_nothing(execution const& exec) {
  nothing_kernel<<<8, 128, 0, exec.stream.get()>>>({});
  check(cudaGetLastError(), "empty kernel");
}

void two_way_copy::run(void* on_device, void const* from_host, void* on_host, void const* from_device,
                       std::uint64_t bytes, execution const& exec) {
  cudaStream_t const stream = exec.stream.get();
  check(cudaEventRecord(streams_->begun, stream), "cudaEventRecord");
  check(cudaStreamWaitEvent(streams_->back, streams_->begun, 0), "cudaStreamWaitEvent");
  check(cudaMemcpyAsync(on_host, from_device, bytes, cudaMemcpyDeviceToHost, streams_->back), "cudaMemcpyAsync");
  check(cudaEventRecord(streams_->is_back, streams_->back), "cudaEventRecord");
  check(cudaMemcpyAsync(on_device, from_host, bytes, cudaMemcpyHostToDevice, stream), "cudaMemcpyAsync");
  check(cudaStreamWaitEvent(stream, streams_->is_back, 0), "cudaStreamWaitEvent");
}

void copy(void* destination, void const* source, std::uint64_t bytes, execution const& exec) {
  check(cudaMemcpyAsync(destination, source, bytes, cudaMemcpyDeviceToDevice, exec.stream.get()), "cudaMemcpyAsync");
}

void fill(void* data, unsigned char value, std::uint64_t bytes, execution const& exec) {
  check(cudaMemsetAsync(data, value, bytes, exec.stream.get()), "cudaMemsetAsync");
}

bool equal(std::uint32_t const* a, std::uint32_t const* b, std::uint64_t count, execution const& exec) {
  if (count == 0) return true;
  constexpr unsigned threads = 256;
  buffer const flag(sizeof(std::uint32_t), exec);
  fill(flag.data(), 0, flag.bytes(), exec);
  compare_kernel<<<blocks_for(count, threads), threads, 0, exec.stream.get()>>>(a, b, count, flag.as<std::uint32_t>());
  check(cudaGetLastError(), "compare kernel");
  std::uint32_t differs = 1;
  warpdex::copy(&differs, flag.data(), sizeof differs, exec);
  return differs == 0;
}

void grouped_loads(std::uint32_t const* data, bench::grouped_loads const& loads, std::uint32_t* sums,
                   std::uint64_t threads, execution const& exec) {
  // The paper starts few threads. Small blocks spread them evenly over the multiprocessors.
  constexpr unsigned block = 128;
  grouped_loads_kernel<<<blocks_for(threads, block), block, 0, exec.stream.get()>>>(data, loads, sums, threads);
  check(cudaGetLastError(), "loads kernel");
}

void read_lines(void const* lines, line_reads const& reads, std::uint64_t* total, execution const& exec) {
  constexpr unsigned threads = 256, most_blocks = 4096;
  unsigned const blocks = std::min(blocks_for(reads.reads, threads), most_blocks);
  line_kernel<<<blocks, threads, 0, exec.stream.get()>>>(static_cast<std::uint64_t const*>(lines), reads, total);
  check(cudaGetLastError(), "line kernel");
}

void fit(moved_triangles const& triangles, execution const& exec) {
  constexpr unsigned threads = 256;
  for (int level = 1; level <= triangles.levels.levels; ++level) {
    std::uint64_t const nodes = triangles.levels.nodes(level);
    fit_kernel<<<blocks_for(nodes, threads), threads, 0, exec.stream.get()>>>(triangles, level, nodes);
    check(cudaGetLastError(), "fit kernel");
  }
}

void trace(moved_triangles const& triangles, std::uint32_t const* probes, std::uint64_t count, std::uint32_t* found,
           execution const& exec) {
  constexpr unsigned threads = 256;
  trace_kernel<<<blocks_for(count, threads), threads, 0, exec.stream.get()>>>(triangles, probes, count, found);
  check(cudaGetLastError(), "trace kernel");
}

void sort_pairs(column keys, void* sorted_keys, std::uint32_t const* rows, std::uint32_t* sorted_rows, buffer& scratch,
                execution const& exec) {
  if (keys.type == key_type::bytes) {
    auto* const first = static_cast<byte_key*>(sorted_keys);
    gpu::copy(first, keys.data, keys.size * sizeof(byte_key), exec);
    gpu::copy(sorted_rows, rows, keys.size * sizeof(std::uint32_t), exec);
    call_thrust("thrust::stable_sort_by_key", [&] {
      thrust::stable_sort_by_key(thrust::cuda::par.on(exec.stream.get()), first, first + keys.size, sorted_rows);
    });
    return;
  }
  with_number(keys, [&]<class Key>(Key const* first) {
    std::size_t bytes = scratch.bytes();
    check(cub::DeviceRadixSort::SortPairs(scratch.data(), bytes, first, static_cast<Key*>(sorted_keys), rows,
                                          sorted_rows, static_cast<std::int64_t>(keys.size), 0,
                                          static_cast<int>(sizeof(Key) * 8), exec.stream.get()),
          "cub::DeviceRadixSort");
    if (scratch.data() == nullptr) scratch = buffer(bytes, exec);
  });
}

}  // namespace warpdex::bench::gpu
