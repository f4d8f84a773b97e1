// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>

#include <cstdint>

#include "backend/backend.hpp"
#include "join/join_steps.hpp"

namespace warpdex {

/// Answers of a part's probes, and where the pairs of those that are kept go.
struct kept_answers {
  void const* answers;  ///< bytes (`contains`), or row ids (`find`)
  std::size_t width;    ///< bytes per answer: 1, 4 or 8
  bool hits;            ///< whether probes with a match are kept, or those without
  validity_bits valid;  ///< a null is no match
  row_array left;
  std::uint64_t number;   ///< of the first probe
  void* right = nullptr;  ///< row ids of the width of the answers; null if not wanted

  WDX_HD bool keeps(bool match, std::uint64_t i) const { return (match && valid(i)) == hits; }
};

/// What joins need of a backend besides `backend`.
class join_backend {
 public:
  virtual ~join_backend() = default;

  /// Calls the step for all numbers below `size`.
  virtual void run(join_step const& step, std::uint64_t size, execution const& exec) const = 0;

  /// Writes the pairs of the probes that are kept, in order. Synchronises.
  /// @param size probes, less than 2^31
  /// @return the number of pairs
  virtual std::uint64_t keep(kept_answers const& answers, std::uint64_t size, execution const& exec) const = 0;

  /// @return whether two entries have equal keys. Synchronises
  virtual bool repeats(sorted_view entries, pair_types types, execution const& exec) const = 0;

  /// @return whether a graph records the stream of a call, so that it must not wait
  virtual bool records(execution const& exec) const = 0;

  /// @return the range of the codes of keys of at most 8 bytes. Synchronises
  virtual code_range range_of(column keys, execution const& exec) const = 0;
};

/// @throws unsupported if the library was built without CUDA
join_backend const& cuda_join_backend();
join_backend const& cpu_join_backend();

inline join_backend const& join_backend_of(backend_kind kind) {
  return kind == backend_kind::cpu ? cpu_join_backend() : cuda_join_backend();
}

}  // namespace warpdex
