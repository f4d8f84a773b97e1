// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include "backend/backend.hpp"
#include "backend/cuda/loops.cuh"
#include "backend/steps.hpp"

/// @file
/// Loops that deal numbers to parts, on the current device. A warp takes a run of numbers, 32 at a time, and keeps a
/// place per part. So numbers stay in their order within a part, and lanes with one part write next to each other.
namespace warpdex::cuda {

/// Calls take(i, position, mine, lanes) for each part of the numbers of this warp's run, by all lanes together.
/// `position` is that of the part and the run, and `lanes` are those whose number i is for the part: `mine` says
/// whether this one is.
template <class Step, class Take>
__device__ void walk_shares(std::uint64_t n, std::uint64_t run, std::uint64_t* places, Step const& step, Take take) {
  constexpr unsigned all = 0xffffffffu;
  unsigned const lane = threadIdx.x % 32;
  std::uint64_t const runs = (n + run - 1) / run;
  std::uint64_t const r = first_group<single_lane>() / 32;
  if (r >= runs) return;
  std::uint64_t const end = (r + 1) * run < n ? (r + 1) * run : n;
  for (std::uint64_t base = r * run; base < end; base += 32) {
    std::uint64_t const i = base + lane;
    steps::part_range to;
    if (i < end) to = step.parts_of(i);
    bool left = to.first != steps::part_range::none;
    auto part = static_cast<unsigned>(to.first);
    for (unsigned last = part + static_cast<unsigned>(to.more); __any_sync(all, left);) {
      unsigned const least = __reduce_min_sync(all, left ? part : all);
      bool const mine = left && part == least;
      unsigned const lanes = __ballot_sync(all, mine);
      take(i, places[least * runs + r], mine, lanes);
      if (mine) left = part++ != last;
    }
  }
}

template <class Step>
__global__ void count_shares_kernel(std::uint64_t n, std::uint64_t run, std::uint64_t* places,
                                    __grid_constant__ Step const step) {
  walk_shares(n, run, places, step, [&](std::uint64_t, std::uint64_t& position, bool, unsigned lanes) {
    // Nobody else adds to it, but an atomic add need not wait for what was there.
    if (threadIdx.x % 32 == 0)
      atomicAdd(reinterpret_cast<unsigned long long*>(&position), static_cast<unsigned long long>(__popc(lanes)));
  });
}

template <class Step>
__global__ void deal_kernel(std::uint64_t n, std::uint64_t run, std::uint64_t* places,
                            __grid_constant__ Step const step) {
  walk_shares(n, run, places, step, [&](std::uint64_t i, std::uint64_t& position, bool mine, unsigned lanes) {
    unsigned const lane = threadIdx.x % 32;
    std::uint64_t first = 0;
    if (lane == 0) {
      first = position;
      position = first + static_cast<unsigned>(__popc(lanes));
    }
    first = __shfl_sync(0xffffffffu, first, 0);
    if (mine) step.write(i, first + static_cast<unsigned>(__popc(lanes & ((1u << lane) - 1))));
  });
}

/// Counts the numbers of each part (`steps::count_shares`).
template <class Step>
void count_shares(execution const& exec, std::uint64_t n, Step const& step, steps::shares& counted) {
  std::uint64_t const parts = counted.begins.size() - 1;
  std::uint64_t const most = std::max<std::uint64_t>(1, std::min(tuning::most_runs, tuning::most_places / parts));
  counted.run = std::max(tuning::least_run, (n + 32 * most - 1) / (32 * most) * 32);
  std::uint64_t const runs = (n + counted.run - 1) / counted.run;
  counted.places = buffer((parts * runs + 1) * sizeof(std::uint64_t), exec);
  auto* const places = counted.places.as<std::uint64_t>();
  backend const& on = cuda_backend();
  on.fill_zero(places, counted.places.bytes(), exec);
  unsigned const blocks = blocks_for(32 * runs, tuning::stream_threads);
  launch(count_shares_kernel<Step>, blocks, tuning::stream_threads, 0, exec, n, counted.run, places, step);
  counted.begins[parts] = on.exclusive_scan(places, parts * runs, exec);
  WDX_CUDA_TRY(cudaMemcpy2DAsync(counted.begins.data(), sizeof(std::uint64_t), places, runs * sizeof(std::uint64_t),
                                 sizeof(std::uint64_t), parts, cudaMemcpyDeviceToHost, exec.stream.get()));
  on.synchronize(exec);
}

/// Calls step.write(i, k) for each number and each of its parts (`steps::deal`).
template <class Step> void deal(execution const& exec, std::uint64_t n, Step const& step, steps::shares& counted) {
  std::uint64_t const runs = (n + counted.run - 1) / counted.run;
  launch(deal_kernel<Step>, blocks_for(32 * runs, tuning::stream_threads), tuning::stream_threads, 0, exec, n,
         counted.run, counted.places.as<std::uint64_t>(), step);
}

}  // namespace warpdex::cuda
