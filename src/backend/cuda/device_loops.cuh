// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cuda/loops.cuh"

namespace warpdex::cuda {

/// The loops of an engine alone, for code that searches nothing.
struct device_loops {
  static constexpr backend_kind kind = backend_kind::cuda;

  template <class Function> static void for_each(execution const& exec, std::uint64_t n, Function const& f) {
    cuda::for_each(exec, n, f);
  }
  template <class Predicate> static std::uint64_t count_if(execution const& exec, std::uint64_t n, Predicate const& f) {
    return cuda::count_if(exec, n, f);
  }
};

}  // namespace warpdex::cuda
