// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/cpu_engine.hpp"
#include "payload/engine_payload_backend.hpp"

namespace warpdex {

payload_backend const& cpu_payload_backend() {
  static payload_backend const& instance = *new engine_payload_backend<cpu_engine>;  // never destroyed, as backends
  return instance;
}

}  // namespace warpdex
