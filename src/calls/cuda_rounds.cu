// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/device_loops.cuh"
#include "calls/engine_rounds.hpp"

namespace warpdex {

rounds_backend const& cuda_rounds_backend() {
  static rounds_backend const& instance = *new engine_rounds<cuda::device_loops>;  // never destroyed
  return instance;
}

}  // namespace warpdex
