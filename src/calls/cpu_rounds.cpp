// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#include "backend/cpu/cpu_engine.hpp"
#include "calls/engine_rounds.hpp"

namespace warpdex {

rounds_backend const& cpu_rounds_backend() {
  static rounds_backend const& instance =
      *new engine_rounds<cpu_engine>;  // never destroyed, like that of cpu_backend()
  return instance;
}

}  // namespace warpdex
