// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

/// @file
/// What a batch of lookups from host memory takes, by its parts (paper 001, section III.A). docs/papers/001.md derives
/// the formulas.
namespace warpdex::bench {

/// The time of work that takes a while to begin and then goes on at one rate.
struct linear_cost {
  double start = 0;  ///< seconds
  double rate = 0;   ///< units of work per second; more than 0

  double seconds(double work) const noexcept { return start + work / rate; }

  /// @param small_time seconds that `small` units took @param large_time seconds that `large` units took; more than 0
  /// @return the line through both; if the larger work was not slower, a line through 0 and the larger one
  static linear_cost through(double small, double small_time, double large, double large_time) noexcept {
    if (large_time <= small_time) return {0, large / large_time};
    double const rate = (large - small) / (large_time - small_time);
    return {std::max(0.0, small_time - small / rate), rate};
  }
};

/// The bytes of a batch.
struct batch_shape {
  std::uint64_t probes;
  double probe_bytes;   ///< per probe: alpha in the paper
  double answer_bytes;  ///< per probe: beta
};

/// The parameters of a machine and an index. Rates of copies are in bytes, of searches in probes per second.
struct cost_model {
  linear_cost to_device;  ///< T_init and B of the paper
  linear_cost to_host;
  linear_cost search;       ///< K_init and SIMD_G / P_GPU of the paper
  double link_one_way = 0;  ///< bytes per second of long copies to the device
  double link_two_way = 0;  ///< the same while as many bytes come back

  /// Probes per chunk of batches that are streamed, which is also the smallest such batch (docs/design/windows.md,
  /// "Arrays on the host").
  static constexpr std::uint64_t chunk = std::uint64_t{1} << 22;

  /// T_input + T_execute + T_output: one step after the other.
  double in_turn(batch_shape const& b) const noexcept {
    auto const probes = static_cast<double>(b.probes);
    return to_device.seconds(probes * b.probe_bytes) + search.seconds(probes) +
           to_host.seconds(probes * b.answer_bytes);
  }

  /// The steps of different chunks at the same time. Either the link is always busy, and the search of the last chunk
  /// follows, or the searches are, and the first chunk comes before them. The last answers go back alone. Bytes that
  /// pass others on the link move at the two-way rate, the rest at the one-way rate.
  double overlapped(batch_shape const& b) const noexcept {
    auto const probes = static_cast<double>(b.probes);
    double const part = std::min(probes, static_cast<double>(chunk));
    double const passing = std::min(b.probe_bytes, b.answer_bytes);
    double const alone = std::max(b.probe_bytes, b.answer_bytes) - passing;
    double const link = probes * (passing / link_two_way + alone / link_one_way);
    double const searches = probes / part * search.seconds(part);
    return to_device.start + std::max(link + search.seconds(part), part * b.probe_bytes / link_one_way + searches) +
           to_host.start + part * b.answer_bytes / link_one_way;
  }

  /// @return the predicted seconds of a batch whose probes and answers are on the host
  double seconds(batch_shape const& b) const noexcept { return b.probes < chunk ? in_turn(b) : overlapped(b); }
};

}  // namespace warpdex::bench
