// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/cpu_engine.hpp"
#include "encoder/engine_encoder_backend.hpp"

namespace warpdex {

encoder_backend const& cpu_encoder_backend() {
  static encoder_backend const& instance = *new engine_encoder_backend<cpu_engine>;  // never destroyed, as backends
  return instance;
}

}  // namespace warpdex
