// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/ordered.hpp>

#include <algorithm>

#include "backend/cuda/check.hpp"
#include "backend/cuda/device_limits.hpp"
#include "backend/cuda/loops.cuh"
#include "backend/cuda/search/block_order.cuh"
#include "backend/cuda/tuning.hpp"
#include "batch/answer.hpp"
#include "batch/policy.hpp"
#include "batch/research.hpp"

/// @file
/// Point searches whose blocks do more than one search per thread. They keep the top of the structure in shared memory,
/// sort a tile of probes by key, or run as a fixed number of blocks (paper 000, sections 4.1 to 4.3).
namespace warpdex::cuda {

/// Shared memory that the system takes from each block.
inline constexpr std::size_t reserved_shared_bytes = 1024;

/// Shared memory that a kernel gets without asking for more by an attribute.
inline constexpr std::size_t free_shared_bytes = 48 << 10;

/// Type of the values that a view pins. For a view that pins nothing any type will do; here it is the key's.
template <class View> struct pinned_type { using type = typename View::key_type; };
template <pinnable_view View> struct pinned_type<View> { using type = typename View::pinned_type; };
template <class View> using pinned_type_of = typename pinned_type<View>::type;

/// What blocks sort probes by: keys, or routes of strings.
template <class View>
using order_key = std::conditional_t<is_bytes<typename View::key_type>, std::uint64_t, typename View::key_type>;
template <class View> WDX_HD order_key<View> order_key_of(View const& view, typename View::key_type const& key) {
  if constexpr (is_bytes<typename View::key_type>) return view.route_of(key);
  else return key;
}

/// The work of a block of `block_point_kernel`, and its layout of shared memory.
struct block_shape {
  int probes = 1;                  ///< probes per thread and tile
  int pinned_levels = 0;           ///< number of levels that are pinned as a whole
  bool pins_next = false;          ///< whether a part of the next level is pinned too (full pinning)
  unsigned pinned_values = 0;      ///< values pinned on all levels
  bool sorts = false;              ///< whether the probes of a tile are sorted
  std::uint32_t answer_bytes = 0;  ///< bytes per answer if answers return to the order of the probes, else 0

  /// Byte offsets of the parts of shared memory; `bytes` is the size of all:
  ///     pinned values | keys and answers of the tile | its order, twice | counts, totals, key range
  /// Blocks that do not sort have only pinned values.
  struct parts {
    std::uint32_t keys, answers, order, spare, counts, totals, key_range, bytes;
  };
  WDX_HD parts place(std::uint32_t threads, std::uint32_t key_bytes, std::uint32_t pinned_bytes) const {
    parts p{};
    auto const after = [](std::uint32_t offset, std::uint32_t bytes) { return (offset + bytes + 15) / 16 * 16; };
    std::uint32_t const tile = threads * static_cast<std::uint32_t>(probes);
    p.bytes = p.keys = after(0, pinned_values * pinned_bytes);
    if (!sorts) return p;
    p.answers = after(p.keys, tile * key_bytes);
    p.order = after(p.answers, tile * answer_bytes);
    p.spare = after(p.order, tile * 2);
    p.counts = after(p.spare, tile * 2);
    p.totals = after(p.counts, threads / 32 * order_digits * 2);
    p.key_range = after(p.totals, order_digits * 4);
    p.bytes = after(p.key_range, 16);
    return p;
  }
};

/// Writes `count` answers from shared memory to the output, from probe `first` on.
template <class Answer>
__device__ void write_answers(void* out, std::uint64_t first, unsigned char const* answers, unsigned count) {
  for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
    store_element<Answer>(out, first + i, reinterpret_cast<Answer const*>(answers)[i]);
}

/// One lane group per probe. Blocks go through the tiles of the batch in strides of the grid. A search visits the
/// pinned levels in shared memory, then all others in global memory.
/// @tparam Sorts the same as `shape.sorts`. A kernel that cannot sort needs fewer registers, so pinned searches take a
/// fifth less time
template <class Group, class View, bool Sorts>
__global__ void __launch_bounds__(1024)
    block_point_kernel(__grid_constant__ View const view, __grid_constant__ point_batch const batch,
                       __grid_constant__ block_shape const shape) {
  using Key = typename View::key_type;
  extern __shared__ __align__(16) unsigned char shared_bytes[];
  auto const at = shape.place(blockDim.x, sizeof(order_key<View>), sizeof(pinned_type_of<View>));
  using Pinned = pinned_type_of<View>;
  auto* const pinned = reinterpret_cast<Pinned*>(shared_bytes);
  auto* const keys = reinterpret_cast<order_key<View>*>(shared_bytes + at.keys);
  auto* const order = reinterpret_cast<std::uint16_t*>(shared_bytes + at.order);
  if constexpr (View::traits.pinnable) {
    for (unsigned i = threadIdx.x; i < shape.pinned_values; i += blockDim.x) pinned[i] = view.pinned_value(i);
    __syncthreads();
  }

  Group const group;
  unsigned const tile = blockDim.x * static_cast<unsigned>(shape.probes);
  unsigned const groups = blockDim.x / Group::lanes;
  for (std::uint64_t first = std::uint64_t{blockIdx.x} * tile; first < batch.size;
       first += std::uint64_t{gridDim.x} * tile) {
    auto const count = static_cast<unsigned>(batch.size - first < tile ? batch.size - first : tile);
    if constexpr (Sorts) {
      for (unsigned i = threadIdx.x; i < count; i += blockDim.x)
        keys[i] = order_key_of(view, encode(batch.codec, load_element<Key>(batch.probes, first + i)));
      __syncthreads();
      order_by_key(keys, count, shape.probes, order,
                   {reinterpret_cast<std::uint16_t*>(shared_bytes + at.spare),
                    reinterpret_cast<std::uint16_t*>(shared_bytes + at.counts),
                    reinterpret_cast<std::uint32_t*>(shared_bytes + at.totals),
                    reinterpret_cast<unsigned long long*>(shared_bytes + at.key_range)});
    }
    point_batch to = batch;
    if (Sorts && shape.answer_bytes != 0) to.out = shared_bytes + at.answers;
    for (unsigned i = threadIdx.x / Group::lanes; i < count; i += groups) {
      unsigned const position = Sorts ? order[i] : i;
      Key probe;
      if constexpr (Sorts && !is_bytes<Key>) probe = keys[position];
      else probe = encode(batch.codec, load_element<Key>(batch.probes, first + position));
      std::uint64_t const answer_at = Sorts && shape.answer_bytes != 0 ? position : first + position;
      auto const wanted = wanted_by<View>(batch.op, probe);
      auto search = start_of(view, batch, wanted.key);
      bool over = view.size == 0;
      if constexpr (View::traits.pinnable) {
        for (int level = 0; level < shape.pinned_levels; ++level) over = view.visit_pinned(group, search, pinned);
        if (shape.pins_next && view.pinned_end(search) <= shape.pinned_values)
          over = view.visit_pinned(group, search, pinned);
      }
      while (!over) over = view.visit(group, search);
      if (group.leads()) answer(view, to, answer_at, wanted, search);
    }
    if constexpr (Sorts) {
      __syncthreads();
      switch (shape.answer_bytes) {
        case 0: break;
        case 1: write_answers<std::uint8_t>(batch.out, first, shared_bytes + at.answers, count); break;
        case 4: write_answers<std::uint32_t>(batch.out, first, shared_bytes + at.answers, count); break;
        default: write_answers<std::uint64_t>(batch.out, first, shared_bytes + at.answers, count);
      }
    }
  }
}

/// @return the shape of blocks for a policy, cut to the available shared memory
/// @param threads threads per block
/// @param room bytes of shared memory per block
/// @param pin_room bytes for pinned values, at most
template <class View>
block_shape shape_blocks(View const& view, search_op op, policy const& run, bool pins, int threads, unsigned room,
                         unsigned pin_room) {
  block_shape shape;
  shape.sorts = run.sorts_in_blocks();
  if (run.reorder == policy::reordering::block_restore && !finds_nearest(op))
    shape.answer_bytes = static_cast<std::uint32_t>(answer_bytes(view, op));
  shape.probes = run.probes != 0 ? run.probes : shape.sorts ? tuning::block_probes : 1;
  auto const bytes = [&] {
    return shape.place(static_cast<std::uint32_t>(threads), sizeof(order_key<View>), sizeof(pinned_type_of<View>))
        .bytes;
  };
  while (shape.probes > 1 && bytes() > room) --shape.probes;
  if constexpr (View::traits.pinnable) {
    if (!pins || view.pinnable_levels() == 0) return shape;
    std::uint64_t const fit = std::min(pin_room, room - bytes()) / 16 * 16 / sizeof(pinned_type_of<View>);
    while (shape.pinned_levels < view.pinnable_levels() && view.pinned_values(shape.pinned_levels + 1) <= fit)
      ++shape.pinned_levels;
    shape.pins_next = run.pin == policy::pinning::full && shape.pinned_levels < view.pinnable_levels();
    shape.pinned_values = static_cast<unsigned>(shape.pins_next ? fit : view.pinned_values(shape.pinned_levels));
  }
  return shape;
}

/// Runs a batch by blocks as the policy says.
/// @param pins whether the top of the structure is pinned
template <class Group, class View>
void point_by_blocks(View const& view, point_batch const& batch, policy const& run, bool pins, execution const& exec) {
  auto* kernel = block_point_kernel<Group, View, false>;
  if constexpr (research::block)
    if (run.sorts_in_blocks()) kernel = block_point_kernel<Group, View, true>;
  device_limits const& limits = limits_of_current_device();
  unsigned const room = limits.shared_bytes_per_block;
  bool const chosen = run.pin != policy::pinning::automatic;
  int const threads = run.threads != 0                ? run.threads
                      : pins || run.sorts_in_blocks() ? tuning::pin_threads
                                                      : tuning::search_threads;
  block_shape const shape =
      shape_blocks(view, batch.op, run, pins, threads, room, chosen ? room : std::min(room, tuning::pin_bytes));
  std::size_t const bytes =
      shape.place(static_cast<std::uint32_t>(threads), sizeof(order_key<View>), sizeof(pinned_type_of<View>)).bytes;
  // Ask for the most that any index needs: the attribute belongs to the kernel, and other threads launch it too.
  if (bytes > free_shared_bytes)
    WDX_CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(room)));
  // By default the driver reserves shared memory for all blocks that the registers allow, and leaves no L1 cache to the
  // searches. This attribute is only a preference: it does no harm if another thread changes it before the launch.
  std::size_t const taken = bytes + reserved_shared_bytes;
  int const share = std::max(tuning::shared_percent, static_cast<int>(taken * 100 / limits.shared_bytes) + 1);
  WDX_CUDA_TRY(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, std::min(share, 100)));
  std::uint64_t const tile = static_cast<std::uint64_t>(threads) * static_cast<unsigned>(shape.probes);
  std::uint64_t const tiles = (batch.size + tile - 1) / tile;
  auto const multiprocessors = static_cast<unsigned>(limits.multiprocessors);
  std::uint64_t blocks = 0x7fffffff;
  if (run.schedule == policy::scheduling::fixed) {
    blocks = multiprocessors;
  } else if (run.schedule == policy::scheduling::automatic) {
    int per_multiprocessor = 1;
    WDX_CUDA_TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel, threads, bytes));
    auto const fit = static_cast<int>(limits.shared_bytes / 100 * static_cast<unsigned>(share) / taken);
    blocks = std::uint64_t{multiprocessors} * static_cast<unsigned>(std::max(1, std::min(per_multiprocessor, fit)));
  }
  launch(kernel, static_cast<unsigned>(std::min(blocks, tiles)), threads, bytes, exec, view, batch, shape);
}

}  // namespace warpdex::cuda
