// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/lane_tile.cuh>

#include "backend/cuda/loops.cuh"
#include "backend/cuda/search/route.hpp"
#include "base/prefix.hpp"
#include "batch/answer.hpp"

/// @file
/// The kernels of the CUDA engine. Each is one template for all structures and lane groups.
namespace warpdex::cuda {

/// The lane group for a view. If all searches of the view make the same number of visits, the groups of a warp search
/// in step.
template <class Group, bool EqualDepth> struct group_in_step { using type = Group; };
template <int Lanes> struct group_in_step<lane_tile<Lanes>, true> { using type = lane_tile<Lanes, true>; };
template <class Group, class View> using group_in = typename group_in_step<Group, View::traits.equal_depth>::type;

/// @return `size` rounded up to the lane groups of whole warps, so that all threads of a warp make the same rounds
template <class Group> __device__ std::uint64_t whole_warps(std::uint64_t size) {
  constexpr std::uint64_t groups = 32 / Group::lanes;
  return (size + groups - 1) / groups * groups;
}

/// One lane group per probe. The groups of a warp that search in step all take part in its last round; groups behind
/// the last probe repeat that probe.
template <class Group, class View>
__global__ void point_kernel(__grid_constant__ View const view, __grid_constant__ point_batch const batch) {
  using Key = typename View::key_type;
  constexpr bool in_step = Group::lanes > 1 && View::traits.equal_depth;
  group_in<Group, View> const group;
  std::uint64_t const end = in_step ? whole_warps<Group>(batch.size) : batch.size;
  for (std::uint64_t i = first_group<Group>(); i < end; i += group_count<Group>()) {
    bool const exists = !in_step || i < batch.size;
    std::uint64_t position = exists ? i : batch.size - 1;
    Key probe;
    if constexpr (windows_by_reference<View>) {
      std::uint64_t const from = batch.order != nullptr ? batch.order[position] : position;
      if (!batch.answers_in_order) position = from;
      probe = encode(batch.codec, load_element<Key>(batch.probes, from));
    } else {
      probe = encode(batch.codec, load_element<Key>(batch.probes, position));
    }
    auto const wanted = wanted_by<View>(batch.op, probe);
    auto const found = run_from_start(view, start_of(view, batch, wanted.key), group);
    if (exists && group.leads()) answer(view, batch, position, wanted, found);
  }
}

/// Lets all `Lanes` threads of a tile work on the stretches of its threads, one after the other: calls f(owner, run) in
/// all threads of the tile for each of its threads `owner` that brings a stretch. All threads of the warp must call
/// this and make the same number of calls; tiles with fewer stretches than others get empty ones.
template <int Lanes, class Position, class Function>
__device__ void share_with_tile(bool brings, stretch<Position> run, Function f) {
  constexpr unsigned all = 0xffffffffu;
  unsigned const bringing = __ballot_sync(all, brings);
  unsigned pending = bringing;  // bit i: thread i of any tile
  for (int distance = Lanes; distance < 32; distance *= 2) pending |= pending >> distance;
  if constexpr (Lanes < 32) pending &= (1u << Lanes) - 1;
  for (; pending != 0; pending &= pending - 1) {
    int const owner = static_cast<int>(threadIdx.x % 32 / Lanes * Lanes) + __ffs(static_cast<int>(pending)) - 1;
    stretch<Position> const shared{__shfl_sync(all, run.begin, owner), __shfl_sync(all, run.end, owner)};
    f(owner, (bringing >> owner & 1u) != 0 ? shared : stretch<Position>{0, 0});
  }
}

/// Visits the slots of ranks [first, last). Each lane group has its own range, and all threads of the warp take part.
/// Tiles of `Lanes` threads scan stretches of up to `share_above` slots; the whole warp scans longer ones, one after
/// the other (paper 000, section 5.7).
/// @param visit called as visit<TileLanes>(owner, run) by the threads of a tile; `owner` is the lane that leads the
/// range's group
template <int Lanes, class Group, class View, class Visit>
__device__ void visit_ranks(Group group, View const& view, typename View::position first, typename View::position last,
                            std::uint64_t share_above, Visit visit) {
  using Position = typename View::position;
  static_assert(Lanes >= Group::lanes);
  for (int s = 0; s < view.stretches(); ++s) {
    stretch<Position> run{0, 0};
    if (first < last) run = view.stretch_of(s, first, last);
    bool const brings = group.leads() && run.begin < run.end;
    bool const is_long = run.end - run.begin > share_above;
    share_with_tile<Lanes>(brings && !is_long, run, [&](int owner, stretch<Position> shared) {
      visit.template operator()<Lanes>(owner, shared);
    });
    share_with_tile<32>(brings && is_long, run,
                        [&](int owner, stretch<Position> shared) { visit.template operator()<32>(owner, shared); });
  }
}

/// @return the sum of `value` over the `Lanes` threads of the tile, in each of them. All threads of the warp take part
template <int Lanes> __device__ std::uint64_t tile_sum(std::uint64_t value) {
  for (int distance = Lanes / 2; distance > 0; distance /= 2) value += __shfl_xor_sync(0xffffffffu, value, distance);
  return value;
}

/// @return the sum of the row ids of ranks [first, last), in the thread that leads the range's group
template <int Lanes, class Group, class View>
__device__ std::uint64_t sum_rows(Group group, View const& view, typename View::position first,
                                  typename View::position last, std::uint64_t share_above) {
  std::uint64_t sum = 0;
  visit_ranks<Lanes>(
      group, view, first, last, share_above, [&]<int TileLanes>(int owner, stretch<typename View::position> run) {
        std::uint64_t part = 0;
        for (std::uint64_t slot = std::uint64_t{run.begin} + threadIdx.x % TileLanes; slot < run.end; slot += TileLanes)
          visit_row(view, static_cast<typename View::position>(slot), [&](auto row) { part += row; });
        part = tile_sum<TileLanes>(part);
        if (static_cast<int>(threadIdx.x % 32) == owner) sum += part;
      });
  return sum;
}

/// Counts the entries of each probe in a view without ranks. One lane group per probe.
template <class Group, class View>
__global__ void count_kernel(__grid_constant__ View const view, __grid_constant__ range_batch const batch) {
  Group const group;
  for (std::uint64_t i = first_group<Group>(); i < batch.size; i += group_count<Group>()) {
    auto const key = encode(batch.codec, load_element<typename View::key_type>(batch.lower, i));
    auto const found = run_from_start(view, view.start(key), group);
    if (group.leads()) count_found(view, batch, i, found);
  }
}

/// One lane group searches the bounds of a range, in step with the other groups of its warp. Tiles of `Lanes` threads
/// scan the range.
/// @param spread_bits 2^spread_bits adjacent groups search the same range, of which the first has it
template <class Group, int Lanes, class View>
__global__ void range_kernel(__grid_constant__ View const view, __grid_constant__ range_batch const batch,
                             unsigned spread_bits, std::uint64_t share_above) {
  using Key = typename View::key_type;
  group_in<Group, View> const group;
  std::uint64_t const end = whole_warps<Group>(batch.size << spread_bits);
  for (std::uint64_t at = first_group<Group>(); at < end; at += group_count<Group>()) {
    std::uint64_t const i = at >> spread_bits;
    bool const exists = i < batch.size && i << spread_bits == at;
    bool const leads = exists && group.leads();
    std::uint64_t from = i < batch.size ? i : batch.size - 1;
    if constexpr (windows_by_reference<View>)
      if (batch.order != nullptr) from = batch.order[from];
    auto ranks = equal_range(view, encode(batch.codec, load_element<Key>(batch.lower, from)),
                             encode(batch.codec, load_element<Key>(batch.upper, from)), group);
    if (!exists) ranks = {0, 0};
    if (leads && batch.counts != nullptr) batch.counts[i] = ranks.end - ranks.begin;
    if (leads && batch.first != nullptr) batch.first[i] = ranks.begin;
    if (batch.sums != nullptr) {
      std::uint64_t const sum = sum_rows<Lanes>(group, view, ranks.begin, ranks.end, share_above);
      if (leads) batch.sums[i] = sum;
    }
  }
}

/// Writes the row id at a place of a range to the output of the range.
/// @param first rank of the range's first entry
/// @param count entries of the range. Nothing is written beyond it, whatever leaves say of their free slots
/// @param offset of the range in `rows`
template <class View>
__device__ void put_row(View const& view, typename View::position position, typename View::position first,
                        [[maybe_unused]] typename View::position count, void* rows, std::uint64_t offset) {
  visit_row(view, position, [&](auto row) {
    auto const at = view.rank(position) - first;
    if constexpr (View::traits.gaps)
      if (!(at < count)) return;
    store_row(view, rows, offset + at, row);
  });
}

/// @return the places of the whole tiles within [begin, end) of the output of fills
__device__ inline stretch<std::uint64_t> whole_tiles(std::uint64_t begin, std::uint64_t end) {
  constexpr std::uint64_t tile = tuning::fill_tile;
  std::uint64_t const first = (begin + tile - 1) / tile * tile;
  std::uint64_t const last = end / tile * tile;
  return first < last ? stretch<std::uint64_t>{first, last} : stretch<std::uint64_t>{begin, begin};
}

/// @return row id number `i` of a range whose first entry is at a rank, or in a view without ranks at a place
template <class View>
__device__ typename View::row_type row_of(View const& view, typename View::position first, unsigned i) {
  auto const at = static_cast<typename View::position>(first + i);
  if constexpr (View::traits.ranked) return view.pairs.row(view.slot_of(at));
  else return view.row_at(at);
}

/// Writes the row ids of ranges whose bounds are known. One lane group per range; tiles of `Lanes` threads write them.
/// Single lanes write the ranges of their warp if none is longer than `short_range`, each with all its loads in flight.
template <class Group, int Lanes, class View>
__global__ void fill_kernel(__grid_constant__ View const view, __grid_constant__ fill_batch const batch,
                            std::uint64_t share_above) {
  using Row = typename View::row_type;
  using Position = typename View::position;
  Group const group;
  for (std::uint64_t i = first_group<Group>(); i < whole_warps<Group>(batch.size); i += group_count<Group>()) {
    Position first = 0;
    Position last = 0;
    std::uint64_t offset = 0;
    if (i < batch.size) {
      offset = batch.offsets[i];
      first = static_cast<Position>(batch.first[i]);
      last = static_cast<Position>(first + (batch.offsets[i + 1] - offset));
    }
    if constexpr (Group::lanes == 1) {
      constexpr unsigned short_range = tuning::short_range;
      if (!__any_sync(0xffffffffu, last - first > short_range)) {
        Row loaded[short_range];
#pragma unroll
        for (unsigned j = 0; j < short_range; ++j)
          if (j < last - first) loaded[j] = row_of(view, first, j);
#pragma unroll
        for (unsigned j = 0; j < short_range; ++j)
          if (j < last - first) store_row(view, batch.rows, offset + j, loaded[j]);
        continue;
      }
    }
    // The whole tiles of the output that the range fills are left to `fill_tiles_kernel`.
    auto const tiles = whole_tiles(offset, offset + (last - first));
    auto const before = static_cast<Position>(first + (tiles.begin - offset));
    auto const behind = static_cast<Position>(first + (tiles.end - offset));
    auto const write = [&](Position begin, Position end) {
      visit_ranks<Lanes>(group, view, begin, end, share_above, [&]<int TileLanes>(int owner, stretch<Position> run) {
        std::uint64_t const to = __shfl_sync(0xffffffffu, offset, owner);
        Position const from = __shfl_sync(0xffffffffu, first, owner);
        Position count = 0;
        if constexpr (View::traits.gaps) count = __shfl_sync(0xffffffffu, last - first, owner);
        for (std::uint64_t slot = std::uint64_t{run.begin} + threadIdx.x % TileLanes; slot < run.end; slot += TileLanes)
          put_row(view, static_cast<Position>(slot), from, count, batch.rows, to);
      });
    };
    bool const has_tiles = before != behind;
    write(first, has_tiles ? before : last);
    if (__any_sync(0xffffffffu, has_tiles)) write(has_tiles ? behind : last, last);
  }
}

/// Writes the tiles of the output that are within one range each. One block per tile.
template <class View>
__global__ void __launch_bounds__(tuning::fill_threads)
    fill_tiles_kernel(__grid_constant__ View const view, __grid_constant__ fill_batch const batch) {
  using Position = typename View::position;
  constexpr std::uint64_t none = ~std::uint64_t{0};
  __shared__ std::uint64_t ranges[tuning::fill_threads];
  std::uint64_t const tiles = batch.offsets[batch.size] / tuning::fill_tile;
  for (std::uint64_t done = 0; done < tiles; done += std::uint64_t{gridDim.x} * blockDim.x) {
    // Each thread looks for the range of one tile; then the block writes these tiles. Adjacent tiles go to different
    // blocks.
    auto const tile_of = [&](unsigned thread) { return done + std::uint64_t{thread} * gridDim.x + blockIdx.x; };
    std::uint64_t found = none;
    if (std::uint64_t const tile = tile_of(threadIdx.x); tile < tiles) {
      std::uint64_t const begin = tile * tuning::fill_tile;
      std::uint64_t const range =
          end_of_prefix<std::uint64_t>(0, batch.size, [&](std::uint64_t i) { return batch.offsets[i + 1] <= begin; });
      auto const filled = whole_tiles(batch.offsets[range], batch.offsets[range + 1]);
      if (filled.begin <= begin && begin < filled.end) found = range;
    }
    ranges[threadIdx.x] = found;
    __syncthreads();
    for (unsigned thread = 0; thread < blockDim.x && tile_of(thread) < tiles; ++thread) {
      std::uint64_t const range = ranges[thread];
      if (range == none) continue;
      std::uint64_t const begin = tile_of(thread) * tuning::fill_tile;
      auto const first = static_cast<Position>(batch.first[range] + (begin - batch.offsets[range]));
      for (int s = 0; s < view.stretches(); ++s) {
        auto const run = view.stretch_of(s, first, static_cast<Position>(first + tuning::fill_tile));
        for (std::uint64_t slot = std::uint64_t{run.begin} + threadIdx.x; slot < run.end; slot += blockDim.x)
          put_row(view, static_cast<Position>(slot), first, static_cast<Position>(tuning::fill_tile), batch.rows,
                  begin);
      }
    }
    __syncthreads();
  }
}

}  // namespace warpdex::cuda
