// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/memory.hpp>
#include <warpdex/spec.hpp>
#include <warpdex/types.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Advice on which index to choose, and how it runs on a device. The spec `auto` follows this advice:
///
///     auto    auto(ranges)    auto(points,order,batch=2^16)/rows=u64
namespace warpdex {

/// What an index is used for. The arguments of `auto` in specs have the same names. If neither points nor ranges is
/// set, points is assumed.
struct workload {
  bool points = false;                           ///< contains, find, bounds
  bool ranges = false;                           ///< range_sum, range_retrieve
  bool order = false;                            ///< entries must lie in key order, for the caller's own scans
  bool least_memory = false;                     ///< no bytes beyond the pairs
  bool rebuilds = false;                         ///< the index is built often, so builds must be fast
  std::uint64_t batch = std::uint64_t{1} << 24;  ///< probes per call
};

/// A spec, and the reasons for it.
struct advice {
  std::string spec;
  std::vector<std::string> reasons;  ///< one sentence each
};

/// @return the workload that the arguments of a spec `auto(...)` describe
/// @throws spec_error for an unknown word, naming the nearest known one, and for a structure other than `auto`
workload workload_of(spec const& s);

/// Chooses a structure. The rules are the decision tree of paper 000, section 6.1, corrected by measurements
/// (docs/performance.md, "Which index"). Builds nothing and does not synchronise.
/// @param n number of keys
/// @return a spec that `index::build` accepts, and the reasons for it
/// @throws spec_error for ranges or order over keys of 16 bytes, which no structure keeps in order
advice advise(workload const& w, key_type keys, row_type rows, std::uint64_t n, backend_kind backend);

/// Tells how large batches of points run on a device if windows do not apply. Options in the spec come first; the
/// device's tuning table decides the rest (docs/performance.md, "Tuning").
/// @param n number of keys
/// @param device name of a CUDA device, as in `device_info` (device.hpp)
/// @return spec options, each with its slash; empty if the engine decides everything
/// @throws spec_error; io_error and format_error for a tuning table given by the user
std::string tuned_policy(spec const& s, key_type keys, row_type rows, std::uint64_t n, std::string_view device);

}  // namespace warpdex
