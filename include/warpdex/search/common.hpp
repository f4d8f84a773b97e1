// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/types.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// @file
/// What all searches share. CPU and GPU compile the same source of a search. A search takes a non-owning view and a
/// lane group. The lanes of a group compare the keys of one node together: they are threads on the GPU, and iterations
/// of a loop on the CPU.

/// Precedes loops over the keys of a node. Device code unrolls them. GCC must not unroll them for the host: it would
/// unroll inner loops of constant length before it vectorises, and then find nothing to vectorise.
#if defined(__CUDA_ARCH__)
#define WDX_NODE_LOOP _Pragma("unroll")
#elif defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define WDX_NODE_LOOP _Pragma("GCC unroll 1")
#else
#define WDX_NODE_LOOP
#endif

namespace warpdex {

/// Marks functions that only prefetch. GCC regards such functions as free of side effects and removes calls to them,
/// unless they are inlined first.
#if defined(__CUDACC__)
#define WDX_INLINE inline
#else
#define WDX_INLINE [[gnu::always_inline]] inline
#endif

/// Prefetches the cache lines of `Bytes` bytes at `address`. Does nothing on the GPU, where other warps hide latency.
template <int Bytes = 1> WDX_HD WDX_INLINE void prefetch([[maybe_unused]] void const* address) {
#if !defined(__CUDA_ARCH__)
  for (int offset = 0; offset < Bytes; offset += 64) __builtin_prefetch(static_cast<char const*>(address) + offset);
#endif
}

/// Alignment of adjacent nodes of `Bytes` bytes: the width of the widest load that divides a node.
template <int Bytes> inline constexpr int node_alignment = Bytes % 16 == 0 ? 16 : Bytes % 8 == 0 ? 8 : 4;

/// The values of a node in registers.
template <int Count, class T> struct alignas(node_alignment<Count* int{sizeof(T)}>) node_values {
  T values[unsigned{Count}];  ///< the values
  /// @return value j
  WDX_HD T const& operator[](int j) const { return values[j]; }
};

/// Reads the `Count` values of a node for a group of `Lanes` lanes. A single GPU thread compares all of them, so it
/// loads them at once in wide loads. nvcc does not join loads of single values, even if their address is known to be
/// aligned.
/// @param first aligned to `node_alignment` of the bytes of the node
/// @return an object whose [j] is value j; if `Lanes` is 1, j must be a compile-time constant
template <int Lanes, int Count, class T> WDX_HD auto read_node(T const* first) {
  constexpr int alignment = node_alignment<Count * sizeof(T)>;
#if defined(__CUDA_ARCH__)
  if constexpr (Lanes == 1) return node_values<Count, T>(*reinterpret_cast<node_values<Count, T> const*>(first));
  else
#endif
    return static_cast<T const*>(__builtin_assume_aligned(first, alignment));
}

/// `condition ? a : b` for integers, without a branch. A search turns left or right at random, and on a CPU a
/// mispredicted branch costs more than the rest of a visit. GCC makes a conditional move of a condition that it takes
/// for unpredictable. It makes worse code of masks: it sets a byte of a register whose other bytes another search of
/// the same flight has just written, so one search waits for the other.
template <class Integer> WDX_HD Integer select(bool condition, Integer a, Integer b) {
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDA_ARCH__)
  return __builtin_expect_with_probability(condition, 1, 0.5) ? a : b;
#else
  Integer const mask = static_cast<Integer>(0) - static_cast<Integer>(condition);
  return (a & mask) | (b & static_cast<Integer>(~mask));
#endif
}

/// `a < b` as a number that is as wide as a key. Compilers then count the keys of a node in vectors of one width.
template <class Key> WDX_HD Key is_less(Key a, Key b) { return a < b ? 1 : 0; }

/// @return the number of zero bits below the lowest set bit; `value` must not be 0
template <class Integer> WDX_HD int trailing_zeros(Integer value) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(Integer) == 4) return __ffs(static_cast<int>(value)) - 1;
  else return __ffsll(static_cast<long long>(value)) - 1;
#else
  return std::countr_zero(value);
#endif
}

/// @return the number of set bits
template <class Integer> WDX_HD int count_ones(Integer value) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(Integer) == 4) return __popc(value);
  else return __popcll(value);
#else
  return std::popcount(value);
#endif
}

/// Integer type of slots, nodes and ranks of an index with row ids of type `Row`. It suffices because an index never
/// holds more entries than its row type can number.
template <class Row> using position_of = std::conditional_t<sizeof(Row) == 4, std::uint32_t, std::uint64_t>;

/// @return the number of ranks from one to another. The second is never below the first where keys are in order; where
/// they are not, as in a file whose keys nobody has checked, there are none between them
template <class Integer> WDX_HD Integer ranks_between(Integer first, Integer last) {
  return first < last ? static_cast<Integer>(last - first) : Integer{0};
}

/// The lane group of one GPU thread, and the one of the CPU: a single lane compares all keys of a node. The loop has a
/// constant trip count and no branch, so compilers vectorise it.
struct single_lane {
  static constexpr int lanes = 1;  ///< lanes of the group

  /// @return whether this lane writes for the group
  WDX_HD bool leads() const { return true; }

  /// Counts on the host in numbers as wide as the predicate's, which compilers vectorise best, and in one cache line
  /// of keys at a time.
  /// @param right a predicate that holds for a prefix of [0, Count); `is_less` suits wide nodes
  /// @return the length of this prefix
  template <int Count, class Right> WDX_HD int count(Right right) const {
#if defined(__CUDA_ARCH__)
    using number = int;
#else
    using number = decltype(0 + right(0));
    if constexpr (Count * sizeof(right(0)) > 64) {
      constexpr int half = Count / 2;
      int const before = right(half - 1) ? half : 0;
      return before + count<Count - half>([&](int j) { return right(before + j); });
    }
#endif
    number found = 0;
    WDX_NODE_LOOP
    for (int j = 0; j < Count; ++j) found += right(j) ? number{1} : number{0};
    return static_cast<int>(found);
  }
};

/// The single lane of a search whose latency other searches hide, as in batches on the CPU. It changes only searches
/// in hash tables. In flight they halve the visited slots, which reads few cache lines but chains the loads. A search
/// that runs alone loads all lines at once and compares all their hashes.
struct lane_in_flight : single_lane {};

}  // namespace warpdex
