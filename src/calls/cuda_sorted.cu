// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/loops.cuh"
#include "calls/sorted.hpp"

namespace warpdex {

void search_sorted_on_device(column const& sorted, column const& probes, std::uint64_t* out, bool upper,
                             execution const& exec) {
  with_codes(sorted.type, [&]<class Keys>() {
    cuda::for_each(exec, probes.size,
                   search_sorted<Keys>{Keys(sorted), sorted.type, probes.data, probes.type, out, upper});
  });
}

}  // namespace warpdex
