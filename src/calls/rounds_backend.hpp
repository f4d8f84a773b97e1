// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/index.hpp>

#include "structures/structure.hpp"

/// @file
/// Lookups in rounds: each round is one batch of ordinary lookups, of the probes that need another one. So they work
/// with every structure, and large rounds go through windows.
namespace warpdex {

/// What `trace` follows. All arrays are within reach of the index's backend.
struct trace_request {
  void const* probes;
  key_type from;  ///< the type of the probes
  std::uint64_t size;
  void const* parents;         ///< keys of the index's type; strings as references
  std::uint64_t parents_size;  ///< row ids on a path are less
};

/// What lookups in rounds need of a backend besides `backend`.
class rounds_backend {
 public:
  virtual ~rounds_backend() = default;

  /// `index::trace`. Synchronises.
  virtual matches trace(structure const& s, trace_request const& asked, execution const& exec) const = 0;
};

rounds_backend const& cpu_rounds_backend();

/// @throws unsupported if the library was built without CUDA
rounds_backend const& cuda_rounds_backend();

inline rounds_backend const& rounds_backend_of(backend_kind kind) {
  return kind == backend_kind::cpu ? cpu_rounds_backend() : cuda_rounds_backend();
}

/// Refuses a row id on a path: one that the column of parents does not have, or one of a path that does not end.
/// @param key the key whose row it is, within reach of the index's backend; null in the first round, in which no key
/// can be met again
/// @throws invalid_argument
[[noreturn]] void fail_trace(structure const& s, trace_request const& asked, std::uint64_t row, void const* key,
                             execution const& exec);

}  // namespace warpdex
