// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/common.hpp>

/// @file
/// Sorts the probes of a block by key, for block-local reordering (paper 000, section 4.3). Keys of 16 bytes are sorted
/// by their upper half.
///
/// The keys stay where they are. The sort moves their 16-bit indexes in the tile, by the upper 16 bits in which the
/// keys of the tile differ. That takes two passes of a radix sort for any key width. Lower bits are ignored, because
/// neighbours only need to share paths and not to be in exact order. The block-wide sorts of libraries want the number
/// of threads and of probes per thread as template arguments. Both are policies here, known only at run time, so these
/// sorts would cost twenty kernels per view.
namespace warpdex::cuda {

inline constexpr int order_digit_bits = 8;
inline constexpr unsigned order_digits = 1u << order_digit_bits;
inline constexpr int most_probes_per_thread = 16;

/// Scratch of `order_by_key`, in shared memory.
struct order_scratch {
  std::uint16_t* spare;           ///< one number per probe
  std::uint16_t* counts;          ///< `order_digits` numbers per warp
  std::uint32_t* totals;          ///< `order_digits` numbers
  unsigned long long* key_range;  ///< 2 numbers: the smallest and the largest key
};

/// Writes the indexes [0, count) of `keys` to `order`, ascending by key. All threads of the block take part. Each ranks
/// `probes` of the indexes, and `count` is at most blockDim.x * probes. Synchronises the block at its end.
///
///     1. range     find the smallest and the largest key, and so the upper 16 bits in which keys differ
///     then for the lower and the upper 8 of these bits:
///     2. rank      each warp ranks equal digits in its stretch of the indexes and counts the digits
///     3. sum       sum the counts over all warps, then over all digits: where each digit of each warp begins
///     4. scatter   each index goes to the begin of its digit plus its rank
template <class Key>
__device__ __noinline__ void order_by_key(Key const* keys, unsigned count, int probes, std::uint16_t* order,
                                          order_scratch const& scratch) {
  constexpr unsigned all = 0xffffffffu;
  constexpr int ignored_bits = sizeof(Key) > 8 ? 64 : 0;
  using Number = std::conditional_t<sizeof(Key) == 4, std::uint32_t, unsigned long long>;
  auto const number_of = [](Key key) { return static_cast<Number>(key >> ignored_bits); };
  unsigned const thread = threadIdx.x;
  unsigned const lane = thread % 32;
  unsigned const warps = blockDim.x / 32;
  unsigned const first = thread / 32 * 32 * static_cast<unsigned>(probes) + lane;

  // 1. Range.
  if (thread == 0) {
    scratch.key_range[0] = ~0ull;
    scratch.key_range[1] = 0;
  }
  __syncthreads();
  unsigned long long smallest = ~0ull;
  unsigned long long largest = 0;
  for (unsigned i = thread; i < count; i += blockDim.x) {
    smallest = min(smallest, static_cast<unsigned long long>(number_of(keys[i])));
    largest = max(largest, static_cast<unsigned long long>(number_of(keys[i])));
  }
  for (int apart = 16; apart > 0; apart /= 2) {
    smallest = min(smallest, __shfl_xor_sync(all, smallest, apart));
    largest = max(largest, __shfl_xor_sync(all, largest, apart));
  }
  if (lane == 0) {
    atomicMin(scratch.key_range, smallest);
    atomicMax(scratch.key_range + 1, largest);
  }
  __syncthreads();
  auto const least = static_cast<Number>(scratch.key_range[0]);
  int const bits = 64 - __clzll(static_cast<long long>(scratch.key_range[1] - scratch.key_range[0]));
  int const dropped = bits > 2 * order_digit_bits ? bits - 2 * order_digit_bits : 0;

  std::uint16_t* const counts = scratch.counts + thread / 32 * order_digits;
  for (int pass = 0; pass < 2; ++pass) {
    std::uint16_t const* const from = pass == 0 ? nullptr : scratch.spare;
    std::uint16_t* const to = pass == 0 ? scratch.spare : order;
    auto const place_of = [&](unsigned i) { return from == nullptr ? i : from[i]; };
    auto const digit_of = [&](unsigned slot) {
      auto const upper = static_cast<unsigned>((number_of(keys[slot]) - least) >> dropped);
      return upper >> (pass * order_digit_bits) & (order_digits - 1);
    };
    for (unsigned digit = lane; digit < order_digits; digit += 32) counts[digit] = 0;
    __syncwarp();
    // 2. Rank. Each warp goes through its stretch in order, so both passes are stable.
    std::uint16_t ranks[most_probes_per_thread];
#pragma unroll
    for (int j = 0; j < most_probes_per_thread; ++j) {
      if (j >= probes) break;
      unsigned const i = first + static_cast<unsigned>(j) * 32;
      unsigned const live = __ballot_sync(all, i < count);
      if (i < count) {
        unsigned const digit = digit_of(place_of(i));
        unsigned const equal = __match_any_sync(live, digit);
        unsigned const before = counts[digit];
        __syncwarp(live);
        ranks[j] = static_cast<std::uint16_t>(before + __popc(equal & ((1u << lane) - 1)));
        if (equal >> lane == 1) counts[digit] = static_cast<std::uint16_t>(before + __popc(equal));
      }
      __syncwarp();
    }
    __syncthreads();
    // 3. Sum.
    for (unsigned digit = thread; digit < order_digits; digit += blockDim.x) {
      std::uint32_t sum = 0;
      for (unsigned warp = 0; warp < warps; ++warp) sum += scratch.counts[warp * order_digits + digit];
      scratch.totals[digit] = sum;
    }
    __syncthreads();
    if (thread < 32) {
      constexpr unsigned share = order_digits / 32;
      std::uint32_t sum = 0;
      for (unsigned d = 0; d < share; ++d) sum += scratch.totals[lane * share + d];
      std::uint32_t up_to = sum;
      for (unsigned apart = 1; apart < 32; apart *= 2) {
        std::uint32_t const other = __shfl_up_sync(all, up_to, apart);
        if (lane >= apart) up_to += other;
      }
      std::uint32_t running = up_to - sum;
      for (unsigned d = 0; d < share; ++d) {
        std::uint32_t const total = scratch.totals[lane * share + d];
        scratch.totals[lane * share + d] = running;
        running += total;
      }
    }
    __syncthreads();
    for (unsigned digit = thread; digit < order_digits; digit += blockDim.x) {
      std::uint32_t running = scratch.totals[digit];
      for (unsigned warp = 0; warp < warps; ++warp) {
        std::uint16_t& slot = scratch.counts[warp * order_digits + digit];
        std::uint32_t const own = slot;
        slot = static_cast<std::uint16_t>(running);
        running += own;
      }
    }
    __syncthreads();
    // 4. Scatter.
#pragma unroll
    for (int j = 0; j < most_probes_per_thread; ++j) {
      if (j >= probes) break;
      unsigned const i = first + static_cast<unsigned>(j) * 32;
      if (i < count) {
        unsigned const slot = place_of(i);
        to[counts[digit_of(slot)] + ranks[j]] = static_cast<std::uint16_t>(slot);
      }
    }
    __syncthreads();
  }
}

}  // namespace warpdex::cuda
