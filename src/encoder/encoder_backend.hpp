// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>

#include <cstdint>
#include <optional>

#include "encoder/tuple_steps.hpp"

namespace warpdex {

/// What key encoders need of a backend besides `backend`.
class encoder_backend {
 public:
  virtual ~encoder_backend() = default;

  /// Calls the step for all numbers below `size`.
  virtual void run(encoder_step const& step, std::uint64_t size, execution const& exec) const = 0;

  /// Calls the check for all numbers below `size`. Synchronises.
  /// @return the first number for which it holds, if there is one
  virtual std::optional<std::uint64_t> find_first(encoder_check const& check, std::uint64_t size,
                                                  execution const& exec) const = 0;
};

/// @throws unsupported if the library was built without CUDA
encoder_backend const& cuda_encoder_backend();
encoder_backend const& cpu_encoder_backend();

inline encoder_backend const& encoder_backend_of(backend_kind kind) {
  return kind == backend_kind::cpu ? cpu_encoder_backend() : cuda_encoder_backend();
}

}  // namespace warpdex
