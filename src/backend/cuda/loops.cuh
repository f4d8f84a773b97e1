// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>
#include <warpdex/search/common.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>

#include "backend/cuda/check.hpp"
#include "backend/cuda/host/streams.hpp"
#include "backend/cuda/tuning.hpp"
#include "backend/two_part.hpp"
#include "backend/update/selection.hpp"

/// @file
/// Launches and loops on the current device. All kernels of searches build on them.
namespace warpdex::cuda {

/// Launches a kernel on the call's stream. @throws device_error
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), unsigned blocks, int threads, std::size_t shared_bytes,
            execution const& exec, Arguments const&... arguments) {
  kernel<<<blocks, static_cast<unsigned>(threads), shared_bytes, exec.stream.get()>>>(arguments...);
  WDX_CUDA_TRY(cudaGetLastError());
}

/// @return enough blocks for one thread per element, but at most as many as a grid can have; kernels loop over the rest
inline unsigned blocks_for(std::uint64_t elements, int threads) {
  std::uint64_t const blocks =
      (elements + static_cast<std::uint64_t>(threads) - 1) / static_cast<std::uint64_t>(threads);
  return static_cast<unsigned>(std::min<std::uint64_t>(blocks, 0x7fffffff));
}

/// Threads per block that any kernel may have: with them each thread can have all the registers that the instruction
/// set can name.
inline constexpr int safe_threads = 256;

/// @return `threads` per block, or fewer if the registers of the kernel do not suffice for them. Kernels of more
/// than `safe_threads` either say so by their launch bounds or are asked here
/// @throws device_error
template <class... Parameters> int possible_threads(void (*kernel)(Parameters...), int threads) {
  if (threads <= safe_threads) return threads;
  cudaFuncAttributes attributes{};
  WDX_CUDA_TRY(cudaFuncGetAttributes(&attributes, kernel));
  return std::min(threads, attributes.maxThreadsPerBlock / 32 * 32);
}

/// Launches a kernel whose threads go through `elements` in strides of the grid, so that it may have fewer of them.
/// @param threads per block, as a policy asks for
/// @throws device_error
template <class... Parameters, class... Arguments>
void launch_in_strides(void (*kernel)(Parameters...), std::uint64_t elements, int threads, execution const& exec,
                       Arguments const&... arguments) {
  int const possible = possible_threads(kernel, threads);
  launch(kernel, blocks_for(elements, possible), possible, 0, exec, arguments...);
}

/// @return enough blocks for one number per thread, or for several numbers per thread if there are many
inline unsigned stream_blocks(std::uint64_t n) {
  std::uint64_t const items = n < tuning::stream_several_from ? 1 : tuning::streamed_numbers;
  return blocks_for((n + items - 1) / items, tuning::stream_threads);
}

/// @return the number of this thread's lane group in the grid
template <class Group> __device__ std::uint64_t first_group() {
  return (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / Group::lanes;
}
/// @return the number of lane groups in the grid
template <class Group> __device__ std::uint64_t group_count() {
  return std::uint64_t{gridDim.x} * blockDim.x / Group::lanes;
}

/// Calls use(i, read(i)) for all i below n. If there are more numbers than threads (`stream_blocks`), a thread reads
/// for several numbers before it uses the first.
template <class Read, class Use> __device__ void stream_numbers(std::uint64_t n, Read read, Use use) {
  std::uint64_t const thread = first_group<single_lane>();
  if (n <= group_count<single_lane>()) {
    if (thread < n) use(thread, read(thread));
    return;
  }
  constexpr unsigned items = tuning::streamed_numbers;
  std::uint64_t const step = group_count<single_lane>() * items;
  for (std::uint64_t first = std::uint64_t{blockIdx.x} * blockDim.x * items + threadIdx.x; first < n; first += step) {
    decltype(read(first)) loaded[items];
#pragma unroll
    for (unsigned j = 0; j < items; ++j)
      if (first + j * blockDim.x < n) loaded[j] = read(first + j * blockDim.x);
#pragma unroll
    for (unsigned j = 0; j < items; ++j)
      if (first + j * blockDim.x < n) use(first + j * blockDim.x, loaded[j]);
  }
}

/// The same where nothing is read ahead: one copy of `use`.
template <class Use> __device__ void for_each_number(std::uint64_t n, Use use) {
#pragma unroll 1
  for (std::uint64_t i = first_group<single_lane>(); i < n; i += group_count<single_lane>()) use(i);
}

template <class Function> __global__ void for_each_kernel(std::uint64_t n, __grid_constant__ Function const f) {
  if constexpr (reads_first<Function>)
    stream_numbers(
        n, [&](std::uint64_t i) { return f.read(i); }, [&](std::uint64_t i, auto const& loaded) { f(i, loaded); });
  else for_each_number(n, [&](std::uint64_t i) { f(i); });
}

/// Calls use(i, holds) for all i in [0, n): whether `f` holds for the number.
template <class Predicate, class Use> __device__ void test_numbers(std::uint64_t n, Predicate const& f, Use use) {
  if constexpr (reads_first<Predicate>)
    stream_numbers(
        n, [&](std::uint64_t i) { return f.read(i); },
        [&](std::uint64_t i, auto const& loaded) { use(i, f(i, loaded)); });
  else
    stream_numbers(
        n, [&](std::uint64_t i) { return f(i); }, use);
}

template <class Predicate>
__global__ void first_if_kernel(std::uint64_t n, __grid_constant__ Predicate const f, unsigned long long* first) {
  unsigned long long found = ~0ull;
  test_numbers(n, f, [&](std::uint64_t i, bool holds) {
    if (holds && i < found) found = i;
  });
  for (int distance = 16; distance != 0; distance /= 2)
    found = min(found, __shfl_xor_sync(0xffffffffu, found, distance));
  if (threadIdx.x % 32 == 0 && found != ~0ull) atomicMin(first, found);
}

template <class Predicate>
__global__ void count_if_kernel(std::uint64_t n, __grid_constant__ Predicate const f, unsigned long long* total) {
  unsigned found = 0;
  test_numbers(n, f, [&](std::uint64_t, bool holds) { found += holds ? 1u : 0u; });
  found = __reduce_add_sync(0xffffffffu, found);
  if (threadIdx.x % 32 == 0 && found != 0) atomicAdd(total, static_cast<unsigned long long>(found));
}

/// Calls f(i) for all i in [0, n), in parallel.
template <class Function> void for_each(execution const& exec, std::uint64_t n, Function const& f) {
  if (n != 0) launch(for_each_kernel<Function>, stream_blocks(n), tuning::stream_threads, 0, exec, n, f);
}

/// A warp takes a word of 64 numbers, of which each lane has two.
template <class Predicate>
__global__ void write_flags_kernel(std::uint64_t range, std::uint64_t* words, __grid_constant__ Predicate const holds) {
  constexpr unsigned all = 0xffffffffu;
  unsigned const lane = threadIdx.x % 32;
  std::uint64_t const step = group_count<single_lane>() / 32;
  for (std::uint64_t w = first_group<single_lane>() / 32; w <= range / 64; w += step) {
    std::uint64_t const low = 64 * w + lane;
    std::uint64_t const high = low + 32;
    unsigned const low_half = __ballot_sync(all, low < range && holds(low));
    unsigned const high_half = __ballot_sync(all, high < range && holds(high));
    if (lane == 0) words[w] = std::uint64_t{high_half} << 32 | low_half;
  }
}

/// Writes for each number below `range` whether a predicate holds for it, as bits of range / 64 + 1 words.
template <class Predicate>
void write_flags(execution const& exec, std::uint64_t range, std::uint64_t* words, Predicate const& holds) {
  launch(write_flags_kernel<Predicate>, stream_blocks(32 * (range / 64 + 1)), tuning::stream_threads, 0, exec, range,
         words, holds);
}

/// A warp takes 32 words and shares their selected numbers among its lanes.
template <class Function>
__global__ void for_each_selected_kernel(__grid_constant__ selected_numbers const from,
                                         __grid_constant__ Function const f) {
  constexpr unsigned all = 0xffffffffu;
  auto const lane = static_cast<int>(threadIdx.x % 32);
  std::uint64_t const tiles = (from.word_count + 31) / 32;
  std::uint64_t const step = group_count<single_lane>() / 32;
  for (std::uint64_t tile = first_group<single_lane>() / 32; tile < tiles; tile += step) {
    std::uint64_t const w = 32 * tile + static_cast<unsigned>(lane);
    std::uint64_t const word = w < from.word_count ? from.words[w] : 0;
    int ends = count_ones(word);  // of the lane's numbers among those of the warp
    for (int distance = 1; distance < 32; distance *= 2) {
      int const before = __shfl_up_sync(all, ends, static_cast<unsigned>(distance));
      if (lane >= distance) ends += before;
    }
    int const total = __shfl_sync(all, ends, 31);
    int const begins = ends - count_ones(word);
    std::uint64_t const first = from.counts[32 * tile];
    for (int base = 0; base < total; base += 32) {
      int const j = base + lane;
      int owner = 0;  // the lane of number j
      for (int half = 16; half != 0; half /= 2)
        if (j >= __shfl_sync(all, ends, owner + half - 1)) owner += half;
      std::uint64_t const owned = __shfl_sync(all, word, owner);
      int const left = j - __shfl_sync(all, begins, owner);
      if (j < total)
        f(64 * (32 * tile + static_cast<unsigned>(owner)) + nth_bit(owned, left), first + static_cast<unsigned>(j));
    }
  }
}

/// Calls f(i, k) for each selected number i, where k others are selected below it, in parallel.
template <class Function>
void for_each_selected(execution const& exec, selected_numbers const& from, Function const& f) {
  std::uint64_t const threads = (from.word_count + 31) / 32 * 32;
  if (threads != 0)
    launch(for_each_selected_kernel<Function>, blocks_for(threads, tuning::stream_threads), tuning::stream_threads, 0,
           exec, from, f);
}

/// `for_each` for long calls: one warp per block, so that few calls use all multiprocessors.
template <class Function> void for_each_task(execution const& exec, std::uint64_t n, Function const& f) {
  constexpr unsigned threads = 32;
  auto const blocks = static_cast<unsigned>(std::min<std::uint64_t>((n + threads - 1) / threads, 1u << 30));
  if (n != 0) launch(for_each_kernel<Function>, blocks, threads, 0, exec, n, f);
}

/// Runs a kernel that tests the numbers below `n`, and changes one number. Synchronises. @return that number
/// @param bytes the value of each of its bytes before
template <class Predicate>
unsigned long long test_all(void (*kernel)(std::uint64_t, Predicate const, unsigned long long*), int bytes,
                            execution const& exec, std::uint64_t n, Predicate const& f) {
  buffer const result(sizeof(unsigned long long), exec);
  WDX_CUDA_TRY(cudaMemsetAsync(result.data(), bytes, result.bytes(), exec.stream.get()));
  unsigned const blocks = std::min(stream_blocks(n), tuning::most_counting_blocks);
  launch(kernel, blocks, tuning::stream_threads, 0, exec, n, f, result.as<unsigned long long>());
  unsigned long long found = 0;
  read_back(&found, result.data(), sizeof(found), exec.stream.get());
  return found;
}

/// @return the number of i in [0, n) for which `f(i)` holds. Synchronises
template <class Predicate> std::uint64_t count_if(execution const& exec, std::uint64_t n, Predicate const& f) {
  return n == 0 ? 0 : test_all(count_if_kernel<Predicate>, 0, exec, n, f);
}

/// @return the least i in [0, n) for which `f(i)` holds, if there is one. Synchronises
template <class Predicate>
std::optional<std::uint64_t> first_if(execution const& exec, std::uint64_t n, Predicate const& f) {
  auto const first = n == 0 ? ~0ull : test_all(first_if_kernel<Predicate>, 0xff, exec, n, f);
  return first == ~0ull ? std::nullopt : std::optional<std::uint64_t>(first);
}

}  // namespace warpdex::cuda
