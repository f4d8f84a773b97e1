// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/backend.hpp"

namespace warpdex {

backend const& backend_of(backend_kind kind) { return kind == backend_kind::cpu ? cpu_backend() : cuda_backend(); }

backend const& backend_of(execution const& exec) { return backend_of(exec.memory->backend()); }

int device_of_call(execution const& exec) {
  return exec.memory->backend() == backend_kind::cuda ? current_device() : -1;
}

}  // namespace warpdex
