// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/search/common.hpp>

namespace warpdex {

/// `Lanes` (a power of two up to 32) neighbouring threads of a warp that search one probe together:
/// each compares one key of the node, a ballot counts (paper 000, section 3.4).
/// All threads of the tile must call its functions together.
template <int Lanes> class lane_tile {
 public:
  static_assert(Lanes > 1 && Lanes <= 32 && (Lanes & (Lanes - 1)) == 0, "a tile is 2, 4, 8, 16 or 32 lanes");
  static constexpr int lanes = Lanes;

  __device__ lane_tile()
      : lane_(static_cast<int>(threadIdx.x) & (Lanes - 1)), base_((threadIdx.x & 31) & ~(Lanes - 1)) {}

  __device__ bool leads() const { return lane_ == 0; }
  __device__ int lane() const { return lane_; }

  /// The threads of this tile as a mask for warp intrinsics.
  __device__ unsigned mask() const { return (Lanes == 32 ? 0xffffffffu : (1u << (Lanes & 31)) - 1u) << base_; }

  template <int Count, class Right> __device__ int count(Right right) const {
    static_assert(Count % Lanes == 0 || Count < Lanes);
    int found = 0;
#pragma unroll
    for (int j = 0; j < Count; j += Lanes) {
      bool const is_right = (Count >= Lanes || lane_ < Count) && right(j + lane_);
      found += __popc(__ballot_sync(mask(), is_right) & mask());
    }
    return found;
  }

 private:
  int lane_;
  unsigned base_;
};

}  // namespace warpdex
