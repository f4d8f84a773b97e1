// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>

#include <cstdint>
#include <optional>

#include "payload/payload_steps.hpp"

namespace warpdex {

/// What payloads need of a backend besides `backend`.
class payload_backend {
 public:
  virtual ~payload_backend() = default;

  /// Calls the step for all numbers below `size`.
  virtual void run(payload_step const& step, std::uint64_t size, execution const& exec) const = 0;

  /// Calls the check for all numbers below `size`. Synchronises.
  /// @return the first number for which it holds, if there is one
  virtual std::optional<std::uint64_t> find_first(payload_steps::has_no_value const& check, std::uint64_t size,
                                                  execution const& exec) const = 0;
};

payload_backend const& cpu_payload_backend();

/// @throws unsupported if the library was built without CUDA
payload_backend const& cuda_payload_backend();

inline payload_backend const& payload_backend_of(backend_kind kind) {
  return kind == backend_kind::cpu ? cpu_payload_backend() : cuda_payload_backend();
}

}  // namespace warpdex
