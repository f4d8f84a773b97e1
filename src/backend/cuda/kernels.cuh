// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/lane_tile.cuh>

#include "backend/cuda/tuning.hpp"
#include "batch/answer.hpp"

/// @file
/// The kernels of the CUDA engine. Each is one text for all structures and lane groups.
namespace warpdex::cuda {

/// Number of the first group of this thread's group in the grid, and of groups in the grid.
template <class Group> __device__ std::uint64_t first_group() {
  return (std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x) / Group::lanes;
}
template <class Group> __device__ std::uint64_t group_count() {
  return std::uint64_t{gridDim.x} * blockDim.x / Group::lanes;
}

template <class Function> __global__ void for_each_kernel(std::uint64_t n, __grid_constant__ Function const f) {
  for (std::uint64_t i = first_group<single_lane>(); i < n; i += group_count<single_lane>()) f(i);
}

template <class Predicate>
__global__ void count_if_kernel(std::uint64_t n, __grid_constant__ Predicate const f, unsigned long long* total) {
  unsigned found = 0;
  for (std::uint64_t i = first_group<single_lane>(); i < n; i += group_count<single_lane>()) found += f(i) ? 1u : 0u;
  found = __reduce_add_sync(0xffffffffu, found);
  if (threadIdx.x % 32 == 0 && found != 0) atomicAdd(total, static_cast<unsigned long long>(found));
}

/// One group a probe.
template <class Group, class View>
__global__ void point_kernel(__grid_constant__ View const view, __grid_constant__ point_batch const batch) {
  using Key = typename View::key_type;
  Group const group;
  for (std::uint64_t i = first_group<Group>(); i < batch.size; i += group_count<Group>()) {
    Key const probe = encode(batch.codec, load_element<Key>(batch.probes, i));
    if constexpr (is_ordered<View>) {
      auto const target = target_of(batch.op, probe);
      auto const slot = target.at_end ? end_of(view) : lower_bound(view, target.key, group);
      if (group.leads()) answer(view, batch, i, probe, slot);
    } else {
      auto const found = find_entry(view, batch, probe, group);
      if (group.leads()) answer_found(view, batch, i, found);
    }
  }
}

/// Calls f(owner, run) with all threads of the warp for each thread `owner` that brings a run to share.
template <class Position, class Function>
__device__ void share_with_warp(bool shares, stretch<Position> run, Function f) {
  constexpr unsigned all = 0xffffffffu;
  for (unsigned pending = __ballot_sync(all, shares); pending != 0; pending &= pending - 1) {
    int const owner = __ffs(static_cast<int>(pending)) - 1;
    f(owner, stretch<Position>{__shfl_sync(all, run.begin, owner), __shfl_sync(all, run.end, owner)});
  }
}

/// Visits the slots of ranks [first, last), each group for its own range; all threads of the warp take
/// part. Stretches of up to `share_above` slots are scanned by the group, longer ones one after another by the
/// whole warp (paper 000, section 5.7).
/// @param visit_own called as visit_own(slot) by a thread of the range's group
/// @param visit_shared called as visit_shared(owner, run) by the whole warp; `owner` is the lane that
/// leads the range's group
template <class Group, class View, class VisitOwn, class VisitShared>
__device__ void visit_ranks(Group group, View const& view, typename View::position first, typename View::position last,
                            std::uint64_t share_above, VisitOwn visit_own, VisitShared visit_shared) {
  using Position = typename View::position;
  for (int s = 0; s < view.stretches(); ++s) {
    stretch<Position> run{0, 0};
    if (first < last) run = view.stretch_of(s, first, last);
    bool const is_long = run.end - run.begin > share_above;
    if (!is_long)
      for (Position slot = run.begin + static_cast<Position>(group.lane()); slot < run.end; slot += Group::lanes)
        visit_own(slot);
    share_with_warp(is_long && group.leads(), run, visit_shared);
  }
}

/// Sum over the `Lanes` threads of each tile, in all of them. All threads of the warp take part.
template <int Lanes> __device__ std::uint64_t tile_sum(std::uint64_t value) {
  for (int distance = Lanes / 2; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
  return value;
}

/// Sum of the row ids of ranks [first, last), in all threads of the range's group.
template <class Group, class View>
__device__ std::uint64_t sum_rows(Group group, View const& view, typename View::position first,
                                  typename View::position last, std::uint64_t share_above) {
  int const lane = static_cast<int>(threadIdx.x % 32);
  std::uint64_t sum = 0;
  visit_ranks(
      group, view, first, last, share_above, [&](auto slot) { visit_row(view, slot, [&](auto row) { sum += row; }); },
      [&](int owner, auto run) {
        std::uint64_t part = 0;
        for (std::uint64_t slot = std::uint64_t{run.begin} + lane; slot < run.end; slot += 32)
          visit_row(view, static_cast<typename View::position>(slot), [&](auto row) { part += row; });
        part = tile_sum<32>(part);
        if (lane == owner) sum += part;
      });
  return tile_sum<Group::lanes>(sum);
}

/// Counts the entries of each probe of an unordered view. One group a probe.
template <class Group, class View>
__global__ void count_kernel(__grid_constant__ View const view, __grid_constant__ range_batch const batch) {
  Group const group;
  for (std::uint64_t i = first_group<Group>(); i < batch.size; i += group_count<Group>()) {
    auto const found = view.find_key(encode(batch.codec, load_element<typename View::key_type>(batch.lower, i)), group);
    if (group.leads()) count_found(view, batch, i, found);
  }
}

/// `size` rounded up to the groups of whole warps, so that all threads of a warp make the same rounds.
template <class Group> __device__ std::uint64_t whole_warps(std::uint64_t size) {
  constexpr std::uint64_t groups = 32 / Group::lanes;
  return (size + groups - 1) / groups * groups;
}

/// One group a range.
template <class Group, class View>
__global__ void range_kernel(__grid_constant__ View const view, __grid_constant__ range_batch const batch,
                             std::uint64_t share_above) {
  using Key = typename View::key_type;
  Group const group;
  for (std::uint64_t i = first_group<Group>(); i < whole_warps<Group>(batch.size); i += group_count<Group>()) {
    stretch<typename View::position> ranks{0, 0};
    bool const leads = i < batch.size && group.leads();
    if (i < batch.size)
      ranks = rank_range(view, encode(batch.codec, load_element<Key>(batch.lower, i)),
                         encode(batch.codec, load_element<Key>(batch.upper, i)), group);
    if (leads && batch.counts != nullptr) batch.counts[i] = ranks.end - ranks.begin;
    if (leads && batch.first != nullptr) batch.first[i] = ranks.begin;
    if (batch.sums != nullptr) {
      std::uint64_t const sum = sum_rows(group, view, ranks.begin, ranks.end, share_above);
      if (leads) batch.sums[i] = sum;
    }
  }
}

/// One group a range.
template <class Group, class View>
__global__ void fill_kernel(__grid_constant__ View const view, __grid_constant__ fill_batch const batch,
                            std::uint64_t share_above) {
  using Row = typename View::row_type;
  using Position = typename View::position;
  Group const group;
  int const lane = static_cast<int>(threadIdx.x % 32);
  for (std::uint64_t i = first_group<Group>(); i < whole_warps<Group>(batch.size); i += group_count<Group>()) {
    Position first = 0;
    Position last = 0;
    std::uint64_t offset = 0;
    if (i < batch.size) {
      offset = batch.offsets[i];
      first = static_cast<Position>(batch.first[i]);
      last = static_cast<Position>(first + (batch.offsets[i + 1] - offset));
    }
    Row* const rows = static_cast<Row*>(batch.rows);
    visit_ranks(
        group, view, first, last, share_above,
        [&](auto slot) { visit_row(view, slot, [&](Row row) { rows[offset + (view.rank(slot) - first)] = row; }); },
        [&](int owner, auto run) {
          std::uint64_t const to = __shfl_sync(0xffffffffu, offset, owner);
          Position const from = __shfl_sync(0xffffffffu, first, owner);
          for (std::uint64_t slot = std::uint64_t{run.begin} + lane; slot < run.end; slot += 32)
            visit_row(view, static_cast<Position>(slot),
                      [&](Row row) { rows[to + (view.rank(static_cast<Position>(slot)) - from)] = row; });
        });
  }
}

}  // namespace warpdex::cuda
