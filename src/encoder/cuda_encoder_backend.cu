// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/device_loops.cuh"
#include "encoder/engine_encoder_backend.hpp"

namespace warpdex {

encoder_backend const& cuda_encoder_backend() {
  static encoder_backend const& instance =
      *new engine_encoder_backend<cuda::device_loops>;  // never destroyed, as backends
  return instance;
}

}  // namespace warpdex
