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
/// Which index to choose, and how it runs on a device. The spec `auto` takes this advice by itself:
///
///     auto    auto(ranges)    auto(points,order,batch=2^16)/rows=u64
namespace warpdex {

/// What an index is for; in specs, the arguments of `auto` of the same names. Neither points nor ranges
/// means points.
struct workload {
  bool points = false;                           ///< contains, find, bounds
  bool ranges = false;                           ///< range_sum, range_retrieve
  bool order = false;                            ///< entries must lie in key order, for views and scans of one's own
  bool least_memory = false;                     ///< no bytes beyond the pairs
  bool rebuilds = false;                         ///< built often, so building must be fast
  std::uint64_t batch = std::uint64_t{1} << 24;  ///< probes a call
};

/// A spec, and why this one: one sentence each.
struct advice {
  std::string spec;
  std::vector<std::string> reasons;
};

/// Reads the arguments of a spec `auto(...)`.
/// @throws spec_error for unknown words, naming the nearest, and for other structures than `auto`
workload workload_of(spec const& s);

/// Chooses by the decision tree of paper 000, section 6.1, as measurements have changed it
/// (docs/performance.md, "Which index").
/// @param n number of keys
/// @throws spec_error for ranges or order of keys that no structure keeps in order, those of 16 bytes
advice advise(workload const& w, key_type keys, row_type rows, std::uint64_t n, backend_kind backend);

/// How large batches of points run on a device where windows do not apply: what the spec says, and for the
/// rest the tuning table of the device (docs/performance.md, "Tuning").
/// @param device name of a CUDA device, as in `device_info` (device.hpp)
/// @return options of specs, each with its slash; empty if all is left to the engine
/// @throws spec_error; io_error and format_error for a table of the user's
std::string tuned_policy(spec const& s, key_type keys, row_type rows, std::uint64_t n, std::string_view device);

}  // namespace warpdex
