// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/common.hpp>

namespace warpdex {

/// A lane group of `Lanes` neighbouring threads of a warp, a power of two up to 32. They search one probe together:
/// each thread compares one key of the node, and a ballot counts the results (paper 000, section 3.4).
/// All threads of the group must call its functions together.
/// @tparam InStep whether all threads of the warp call together, each group for its own probe. One ballot then serves
/// all groups. With one ballot per group the hardware may run the groups one after another, which took 1.7 times as
/// long.
template <int Lanes, bool InStep = false> class lane_tile {
 public:
  static_assert(Lanes > 1 && Lanes <= 32 && (Lanes & (Lanes - 1)) == 0, "a tile is 2, 4, 8, 16 or 32 lanes");
  static constexpr int lanes = Lanes;  ///< lanes of the group

  /// The group of the calling thread, of a block whose threads have one dimension.
  __device__ lane_tile()
      : lane_(static_cast<int>(threadIdx.x) & (Lanes - 1)), base_((threadIdx.x & 31) & ~(Lanes - 1)) {}

  /// @return whether this lane writes for the group
  __device__ bool leads() const { return lane_ == 0; }

  /// The threads of this group as a mask for warp intrinsics.
  __device__ unsigned mask() const { return (Lanes == 32 ? 0xffffffffu : (1u << (Lanes & 31)) - 1u) << base_; }

  /// @param right a predicate that holds for a prefix of [0, Count)
  /// @return the length of this prefix, in all lanes
  template <int Count, class Right> __device__ int count(Right right) const {
    static_assert(Count % Lanes == 0 || Count < Lanes);
    int found = 0;
#pragma unroll
    for (int j = 0; j < Count; j += Lanes) {
      bool const is_right = (Count >= Lanes || lane_ < Count) && right(j + lane_);
      found += __popc(__ballot_sync(InStep ? 0xffffffffu : mask(), is_right) & mask());
    }
    return found;
  }

 private:
  int lane_;
  unsigned base_;
};

}  // namespace warpdex
