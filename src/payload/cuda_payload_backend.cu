// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cuda/device_loops.cuh"
#include "payload/engine_payload_backend.hpp"

namespace warpdex {

payload_backend const& cuda_payload_backend() {
  static payload_backend const& instance =
      *new engine_payload_backend<cuda::device_loops>;  // never destroyed, as backends
  return instance;
}

}  // namespace warpdex
