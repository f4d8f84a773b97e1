// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <warpdex/column.hpp>
#include <warpdex/memory.hpp>
#include <warpdex/spec.hpp>
#include <warpdex/types.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// @file
/// Advice on which index to choose, and how it runs on a device. The spec `auto` follows this advice:
///
///     auto    auto(ranges)    auto(points,order,batch=2^16)/rows=u64
namespace warpdex {

class any_index;  // any_index.hpp

/// What an index is used for. The arguments of `auto` in specs have the same names. If neither points nor ranges is
/// set, points is assumed, and an order is kept where there is one.
struct workload {
  bool points = false;                           ///< contains, find, count, retrieve; alone it needs no order
  bool ranges = false;                           ///< range_sum, range_retrieve
  bool order = false;                            ///< bounds, floors, and entries in key order for scans of your own
  bool least_memory = false;                     ///< no bytes beyond the pairs; of models, less than 1% of them
  bool rebuilds = false;                         ///< the index is built often, so builds must be fast
  bool rays = false;                             ///< the index shall be a cgRX; its bucket follows from a cost model
  std::uint64_t batch = std::uint64_t{1} << 24;  ///< probes per call
  std::uint64_t hits = 64;                       ///< entries per range, for `rays` alone
};

/// The models that learned indexes over a column would have for one error.
struct model_size {
  std::uint64_t eps = 0;            ///< the error of both, in ranks
  std::uint64_t pgm_segments = 0;   ///< segments on the first level of PGM(eps)
  std::uint64_t pgm_levels = 0;     ///< levels of segments
  std::uint64_t pgm_bytes = 0;      ///< bytes of all levels
  std::uint64_t spline_points = 0;  ///< spline points of RS(eps=eps)
  std::uint64_t spline_cells = 0;   ///< cells of its table
  std::uint64_t spline_bytes = 0;   ///< bytes of both
};

/// What is known of a key column before an index is built over it.
struct column_profile {
  key_type keys = key_type::u32;  ///< type of the keys
  row_type rows = row_type::u32;  ///< type of the row ids, as given to `profile`
  std::uint64_t size = 0;         ///< number of keys
  std::uint64_t distinct = 0;     ///< number of different keys
  std::uint64_t smallest = 0;     ///< the smallest key as `decode` gives it (search/codec.hpp); 0 without keys
  std::uint64_t largest = 0;      ///< the largest key
  bool exact = true;              ///< whether everything was counted, or else estimated (not `size` and both keys)
  std::vector<model_size> models = {};  ///< for some errors, in ascending order
};

/// Looks at a key column: how often keys repeat, and how large the models of learned indexes over it would be.
///
/// A short column is sorted and its models are made, so all numbers are exact. Of a longer one, a random sample gives
/// the quantiles. Between some of them, evenly spread, runs of about 2^14 adjacent keys are chosen; all keys of these
/// runs are collected and their models made. A thin sample alone would not do: it adds errors, which would need
/// segments. The sample is the same each time.
///
/// Returns when everything is done. Cost: two passes over the column, one of which reads a small part of it; one sort
/// of `most_sorted` keys, and their models for each of 7 errors. Memory: about 60 bytes for each of `most_sorted`.
/// Source: papers 001 and 002 for the models; the estimate is our own.
/// @param keys a column on the host
/// @param rows type of the row ids of the index, on which the bytes of its models depend
/// @param exec memory of the host
/// @param most_sorted keys up to which a column is sorted as a whole, from 2^15 to 2^31
/// @throws unsupported for keys of 16 bytes, which no learned index takes; invalid_argument, out_of_memory
column_profile profile(column keys, row_type rows, execution const& exec,
                       std::uint64_t most_sorted = std::uint64_t{1} << 22);

/// A rate that was measured, in conditions that resemble the given ones (docs/performance/index.md).
struct measured_rate {
  double probes_per_second = 0;  ///< points looked up per second
  std::string conditions;        ///< the machine, the keys and the batch
};

/// A spec, the reasons for it, and what to expect of it.
struct advice {
  std::string spec;                                   ///< what `index::build` accepts
  std::vector<std::string> reasons;                   ///< one sentence each
  std::optional<memory_usage> memory = std::nullopt;  ///< bytes of the index; none for hash tables
  std::optional<measured_rate> rate = std::nullopt;   ///< of points; none if nothing like it was measured
};

/// @return the workload that the arguments of a spec `auto(...)` describe
/// @throws spec_error for an unknown word, naming the nearest known one, and for a structure other than `auto`
workload workload_of(spec const& s);

/// Chooses a structure. The rules are the decision tree of paper 000, section 6.1, corrected by measurements
/// (docs/performance/index.md, "Which index"). Builds nothing and does not synchronise.
/// @param n number of keys
/// @return a spec that `index::build` accepts, and the reasons for it
/// @throws spec_error if this build lacks the structure that the rules choose
advice advise(workload const& w, key_type keys, row_type rows, std::uint64_t n, backend_kind backend);

/// The same rules for a known column. They may then choose a learned index, where measurements say that it wins
/// (docs/performance/learned.md, "Which index"). The spec `auto` does not look at keys, because an index that is
/// updated resolves its spec again: build with the spec that this returns.
/// @return as above
/// @throws spec_error
advice advise(workload const& w, column_profile const& column, backend_kind backend);

/// Why an index is as it is: its spec with all choices, what its search goes through, what it takes, and what is
/// advised for batches of a size.
/// @param batch number of probes of a batch
/// @return lines of text, which may change between versions
/// @throws spec_error if this build lacks the structure that is advised; invalid_argument for an index that was moved
/// from
std::string explain(any_index const& of, std::uint64_t batch = std::uint64_t{1} << 20);

/// Tells how large batches of points run on a device if windows do not apply. Options in the spec come first; the
/// device's tuning table decides the rest (docs/performance/index.md, "Tuning").
/// @param n number of keys
/// @param device name of a CUDA device, as in `device_info` (device.hpp)
/// @return spec options, each with its slash; empty if the engine decides everything
/// @throws spec_error; io_error and format_error for a tuning table given by the user
std::string tuned_policy(spec const& s, key_type keys, row_type rows, std::uint64_t n, std::string_view device);

}  // namespace warpdex
