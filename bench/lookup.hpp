// SPDX-FileCopyrightText: 2026 The warpdex authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "bench/gpu.hpp"
#include "bench/placed_strings.hpp"
#include "bench/report.hpp"
#include "bench/strings.hpp"

#include <warpdex/index.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace warpdex::bench {

/// A built index, and the time and memory that its build took.
struct built_index {
  warpdex::index index;
  double seconds;            ///< of the whole call
  std::uint64_t peak_bytes;  ///< most memory held during the build, the index included
};

/// Measures `make`: index::build, or index::over_sorted.
inline built_index build_index(spec const& s, column keys, execution const& exec, counting_resource& counter,
                               warpdex::index (*make)(spec const&, column, execution const&) = warpdex::index::build) {
  execution counted = exec;
  counted.memory = &counter;
  auto const before = counter.held();
  counter.forget_peak();
  wall_clock clock;
  auto built = make(s, keys, counted);
  double const time = clock.stop();
  return {std::move(built), time, counter.peak() - before};
}

/// Fields that describe an index: names, bytes, build times.
inline void put_index(record& line, built_index const& built, spec const& request) {
  auto const bytes = built.index.memory();
  auto const& times = built.index.times();
  line["name"] = request.text();
  line["resolved"] = built.index.spec_text();
  line["row_type"] = to_string(built.index.row_type());
  line["build_s"] = built.seconds;
  line["build_prepare_s"] = times.prepare;
  line["build_sort_s"] = times.sort;
  line["build_layout_s"] = times.layout;
  line["build_peak_bytes"] = built.peak_bytes;
  line["index_bytes"] = bytes.total();
  line["pair_bytes"] = bytes.pairs;
  line["auxiliary_bytes"] = bytes.auxiliary;
}

/// Fields of a batch of `lookups` lookups. @param threads null for a GPU @return lookups per second
inline double put_lookups(record& line, built_index const& built, record threads, measured const& runs,
                          std::uint64_t lookups) {
  double const rate = rate_of(lookups, runs.time.median);
  auto const bytes = built.index.memory().total();
  line["threads"] = std::move(threads);
  put_time(line, runs.time);
  line["scratch_bytes"] = runs.scratch;
  line["rate"] = rate;
  line["rate_per_byte"] = bytes > 0 ? rate / static_cast<double>(bytes) : 0;
  return rate;
}

/// One batch of point lookups, and where its answers go.
template <class Key> class point_lookup {
 public:
  /// @param parents for `ancestors`: per row the key of `parent_row`
  /// @param by_loop `find`, or `ancestors` with the sum of each path for an answer, by a loop over the index's view
  /// instead
  point_lookup(lookup const& what, any_index const& x, placed<Key> const& probes, execution const& exec,
               placement place = placement::device, column parents = {}, bool by_loop = false)
      : what_(what), by_loop_(by_loop), index_(x), probes_(probes), parents_(parents), exec_(exec),
        out_(what.lists() && !by_loop ? 0 : probes.size(),
             width(by_loop ? answer_kind::row : what.writes[0], x.row_type()), exec, place) {
    auto const second = what.writes[1];
    if (second != answer_kind::none && !(is_string<Key> && second == answer_kind::key))
      second_.emplace(probes.size(), width(second, x.row_type()), exec, place);
    if constexpr (is_string<Key>)
      if (by_loop && on_gpu(exec)) references_ = gpu::references(probes.keys(), exec);
  }

  void poison() {
    found_ = {};
    out_.poison();
    if (second_) second_->poison();
  }

  /// Only the call itself.
  void run() {
    auto const probes = probes_.keys();
    if (by_loop_) singular();
    else if (traces()) found_ = index_.ancestors(probes, parents_, exec_);
    else if (what_.lists()) found_ = index_.list(what_, {probes}, exec_);
    else if (what_.writes[1] == answer_kind::none) index_.look_up(what_, {probes}, {first_output()}, exec_);
    else index_.look_up(what_, {probes}, {first_output(), second_output()}, exec_);
  }

  /// Row ids that were listed, or of a loop over paths summed up.
  std::uint64_t matches() const noexcept { return by_loop_ ? path_rows_ : found_.total; }

  /// Bytes of the answers that the call itself allocated.
  std::uint64_t result_bytes() const noexcept { return found_.offsets.bytes() + found_.rows.bytes(); }

  /// Compares all answers: in place if they have the form of the expected ones, else on the host.
  /// @param keys the key column, for `floor` and `ceil` of numbers @throws error naming a wrong one
  void check(placed<std::uint32_t> const& answers, std::span<Key const> keys);

 private:
  bool traces() const noexcept { return &what_ == &lookups::ancestors; }
  void singular();
  /// Whether what is answered along with row `row` of probe `i` (a length or a key), if anything, is right too.
  bool is_key_of(std::uint64_t i, std::uint32_t row, std::span<Key const> keys) const;
  template <class Right> void check_matches(Right const& right) const;
  void check_rows(std::span<std::uint32_t const> counts, std::span<Key const> keys) const;
  void check_paths(std::span<std::uint32_t const> first_rows) const;
  void check_sums(std::span<std::uint32_t const> first_rows);

  static std::size_t width(answer_kind kind, row_type rows) {
    switch (kind) {
      case answer_kind::flag: return 1;
      case answer_kind::row: return size_of(rows);
      case answer_kind::key: return sizeof(Key);
      case answer_kind::position:
      case answer_kind::length: return sizeof(std::uint32_t);
      default: return sizeof(std::uint64_t);
    }
  }

  lookup_output first_output() const {
    if (what_.writes[0] == answer_kind::flag) return out_.as<std::uint8_t>();
    if (what_.writes[0] == answer_kind::row) return row_output(out_.data(), probes_.size(), index_.row_type());
    return out_.as<std::uint64_t>();
  }

  /// Strings have no output of keys.
  lookup_output second_output() const {
    if (what_.writes[1] != answer_kind::key) return second_->as<std::uint32_t>();
    if constexpr (is_string<Key>) return key_output();
    else return key_output(second_->as<Key>());
  }

  /// Answer to probe `i` in the form of the expected answers.
  std::uint64_t answer(std::uint64_t i) const {
    if (what_.writes[1] == answer_kind::position) {
      i = places_[i];
      if (i == missing) return unanswered;
    }
    if (what_.writes[0] == answer_kind::flag) return out_.at<std::uint8_t>(i);
    if (what_.writes[0] != answer_kind::row) return out_.at<std::uint64_t>(i);
    if (index_.row_type() == row_type::u32) return out_.at<std::uint32_t>(i);
    auto const row = out_.at<std::uint64_t>(i);
    return row == no_row<std::uint64_t> ? missing : row;
  }

  lookup const& what_;
  bool by_loop_;
  any_index const& index_;
  placed<Key> const& probes_;
  column parents_;
  execution exec_;
  result_array out_;
  std::optional<result_array> second_;
  buffer references_;  ///< to probes that are strings, for a loop on a GPU
  warpdex::matches found_;
  std::uint64_t path_rows_ = 0;  ///< on the paths of all probes, after `check_sums`

  /// For answers in any order: per probe the index of its answer, or `missing`.
  static constexpr std::uint64_t unanswered = ~std::uint64_t{0};
  std::vector<std::uint32_t> places_;
};

/// @param gpu whether the backend is cuda @throws usage_error if points cannot be measured there as `c` says
void expect_points_on(config const& c, bool gpu);

/// The benchmarks of these names for one key type. Print to `out`.
template <class Key> void run_point(config const& c, key_data<Key>& data, cli_context const& context, report& out);
template <class Key> void run_range(config const& c, key_data<Key>& data, cli_context const& context, report& out);
template <class Key> void run_build(config const& c, key_data<Key>& data, cli_context const& context, report& out);

/// @param data the keys of the index, then those of all batches: n + waves * batch
template <class Key> void run_update(config const& c, key_data<Key>& data, cli_context const& context, report& out);

}  // namespace warpdex::bench
