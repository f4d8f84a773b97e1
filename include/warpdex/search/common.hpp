// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/types.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// @file
/// What every search shares. A search is one text for CPU and GPU: it runs over a non-owning view and a
/// lane group, the threads (or the loop iterations) that examine the keys of one node together.

/// For loops over the keys of a node. Device code unrolls them. Host code must not, before the vectoriser
/// has seen them: GCC unrolls inner loops of constant length early, and then finds nothing to vectorise.
#if defined(__CUDA_ARCH__)
#define WDX_NODE_LOOP _Pragma("unroll")
#elif defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#define WDX_NODE_LOOP _Pragma("GCC unroll 1")
#else
#define WDX_NODE_LOOP
#endif

namespace warpdex {

/// For functions that do nothing but prefetch: GCC takes them for functions without effect and removes the
/// calls, unless it has inlined them before it looks.
#if defined(__CUDACC__)
#define WDX_INLINE inline
#else
#define WDX_INLINE [[gnu::always_inline]] inline
#endif

/// Asks for the cache lines of `Bytes` bytes at `address`. A no-op on the GPU, which hides latency with
/// other warps.
template <int Bytes = 1> WDX_HD WDX_INLINE void prefetch([[maybe_unused]] void const* address) {
#if !defined(__CUDA_ARCH__)
  for (int offset = 0; offset < Bytes; offset += 64) __builtin_prefetch(static_cast<char const*>(address) + offset);
#endif
}

/// Alignment of nodes of `Bytes` bytes that lie one after another: the widest load that fits.
template <int Bytes> inline constexpr int node_alignment = Bytes % 16 == 0 ? 16 : Bytes % 8 == 0 ? 8 : 4;

/// The values of a node, in registers.
template <int Count, class T> struct alignas(node_alignment<Count * sizeof(T)>) node_values {
  T values[Count];
  WDX_HD T const& operator[](int j) const { return values[j]; }
};

/// The `Count` values at `first`, aligned to `node_alignment` of their bytes, for a group of so many lanes. One thread
/// of a GPU, which looks at all of them, reads them here and now in wide loads: nvcc does not join loads of single
/// values, whatever it is promised about their address.
/// @return something that has value j as [j]; a constant j where `Lanes` is 1
template <int Lanes, int Count, class T> WDX_HD auto read_node(T const* first) {
  constexpr int alignment = node_alignment<Count * sizeof(T)>;
#if defined(__CUDA_ARCH__)
  if constexpr (Lanes == 1) return node_values<Count, T>(*reinterpret_cast<node_values<Count, T> const*>(first));
  else
#endif
    return static_cast<T const*>(__builtin_assume_aligned(first, alignment));
}

/// `condition ? a : b` for integers without a branch: which way a search turns is a coin toss, and a
/// mispredicted branch costs a CPU more than the rest of the step.
template <class Integer> WDX_HD Integer select(bool condition, Integer a, Integer b) {
  Integer const mask = static_cast<Integer>(0) - static_cast<Integer>(condition);
  return (a & mask) | (b & static_cast<Integer>(~mask));
}

/// @return the number of zero bits below the lowest that is set, of which there must be one
template <class Integer> WDX_HD int trailing_zeros(Integer value) {
#if defined(__CUDA_ARCH__)
  if constexpr (sizeof(Integer) == 4) return __ffs(static_cast<int>(value)) - 1;
  else return __ffsll(static_cast<long long>(value)) - 1;
#else
  return std::countr_zero(value);
#endif
}

/// Integer type of slots, nodes and ranks of an index whose row ids are `Row`: an index never holds more
/// entries than its row type can number.
template <class Row> using position_of = std::conditional_t<sizeof(Row) == 4, std::uint32_t, std::uint64_t>;

/// The lane group of one thread, and of the CPU: one lane looks at all keys of the node.
/// Its loop has a constant trip count and no branch, which compilers turn into SIMD.
struct single_lane {
  static constexpr int lanes = 1;

  WDX_HD bool leads() const { return true; }

  /// @return for how many j in [0, Count) `right(j)` holds; it holds for a prefix
  template <int Count, class Right> WDX_HD int count(Right right) const {
    int found = 0;
    WDX_NODE_LOOP
    for (int j = 0; j < Count; ++j) found += right(j) ? 1 : 0;
    return found;
  }
};

/// The same where other searches hide its waiting, as in a CPU's batches. A hash table's search then halves what it
/// visits, so it reads few lines, in a chain of loads; alone it waits for all lines at once, and compares all their
/// keys.
struct lane_in_flight : single_lane {};

}  // namespace warpdex
