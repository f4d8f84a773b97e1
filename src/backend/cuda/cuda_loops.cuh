// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "backend/cuda/loops.cuh"
#include "backend/cuda/share_loops.cuh"

namespace warpdex {

/// The part of CUDA's engine that loops over numbers, on the current device.
struct cuda_loops {
  static constexpr backend_kind kind = backend_kind::cuda;

  /// Calls f(i) for all i in [0, n), in parallel.
  template <class Function> static void for_each(execution const& exec, std::uint64_t n, Function const& f) {
    cuda::for_each(exec, n, f);
  }

  /// Writes for each number below `range` whether a predicate holds for it, as bits of range / 64 + 1 words.
  template <class Predicate>
  static void write_flags(execution const& exec, std::uint64_t range, std::uint64_t* words, Predicate const& holds) {
    cuda::write_flags(exec, range, words, holds);
  }

  /// Calls f(i, k) for each selected number i, where k others are selected below it, in parallel.
  template <class Function>
  static void for_each_selected(execution const& exec, selected_numbers const& from, Function const& f) {
    cuda::for_each_selected(exec, from, f);
  }

  /// `for_each` for long calls.
  template <class Function> static void for_each_task(execution const& exec, std::uint64_t n, Function const& f) {
    cuda::for_each_task(exec, n, f);
  }

  /// `for_each` for calls that write lists.
  template <class Offset, class Function>
  static void for_each_list(execution const& exec, std::uint64_t n, Offset const*, Function const& f) {
    cuda::for_each(exec, n, f);
  }

  /// @return the number of i in [0, n) for which `f(i)` holds. Synchronises
  template <class Predicate> static std::uint64_t count_if(execution const& exec, std::uint64_t n, Predicate const& f) {
    return cuda::count_if(exec, n, f);
  }

  /// @return the least i in [0, n) for which `f(i)` holds, if there is one. Synchronises
  template <class Predicate>
  static std::optional<std::uint64_t> first_if(execution const& exec, std::uint64_t n, Predicate const& f) {
    return cuda::first_if(exec, n, f);
  }

  /// Counts the numbers of each part (`steps::count_shares`). Synchronises.
  template <class Step>
  static void count_shares(execution const& exec, std::uint64_t n, Step const& step, steps::shares& counted) {
    cuda::count_shares(exec, n, step, counted);
  }

  /// Calls step.write(i, k) for each number and each of its parts (`steps::deal`).
  template <class Step>
  static void deal(execution const& exec, std::uint64_t n, Step const& step, steps::shares& counted) {
    cuda::deal(exec, n, step, counted);
  }

  // Defined in cub_loops.cuh, which few files need.

  /// Calls step.write(i, k) for each number i below `n` for which step(i) holds, where k is the number of those before
  /// it. Synchronises.
  /// @param n at most 2^32
  /// @return for how many numbers step(i) holds
  template <class Step> static std::uint64_t select(execution const& exec, std::uint64_t n, Step const& step);

  /// Synchronises. @return the values step(i) of all i in [0, n), joined by `with`
  template <class Step> static auto reduce(execution const& exec, std::uint64_t n, Step const& step);
};

}  // namespace warpdex
